package compress
