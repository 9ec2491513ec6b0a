#!/bin/sh
# Writes classes/ (compiled from src/), kinds.txt (what Java's reflection and
# serialization say about them), serialver.txt (what the JDK's tool says) and
# ../jdk.txt. Needs a JDK 17.
set -eu
cd "$(dirname "$0")"
LC_ALL=$(../../../../integration/java/locale.sh)
export LC_ALL
rm -rf classes && mkdir classes
javac -encoding UTF-8 -parameters --release 17 -Xlint:-options -d classes src/demo/*.java
javac -encoding UTF-8 --release 7 -Xlint:-options -d classes src/old/*.java
noted=$(mktemp -d)
javac -encoding UTF-8 --release 17 -Xlint:-options -d "$noted" Noted.java
cp "$noted/noted/Noted.class" noted/ && rm -rf "$noted"
java -Dfile.encoding=UTF-8 -cp classes Kinds.java classes > kinds.txt
serialver -J-Dfile.encoding=UTF-8 -classpath classes \
    demo.Order 'demo.Order$Item' demo.Money demo.Entity demo.Customer demo.Vip demo.NumberBox demo.Point demo.Color demo.Op \
    demo.Names 'demo.Names$ByName' demo.Member demo.Active demo.Strange 'demo.Strange$Failure' demo.订单 \
    old.Legacy 'old.Legacy$Inside' 'old.Legacy$Kind' > serialver.txt
java JDKTypes.java > ../jdk.txt
