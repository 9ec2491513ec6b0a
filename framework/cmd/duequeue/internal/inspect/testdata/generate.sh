#!/bin/sh
# Compiles src/ to classes/. Needs a JDK 17, and in the class path ($1) the jars of Redisson, of
# Jackson's databind, core and annotations, and of its modules jsr310 and jdk8.
set -eu
cd "$(dirname "$0")"
rm -rf classes && mkdir classes
javac -g:none -encoding UTF-8 --release 11 -Xlint:-options -cp "$1" -d classes src/app/*.java
