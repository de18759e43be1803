#!/bin/sh
":" //; self=$(readlink -f "$0"); program=browse-mcp; . "${self%/*}/launch.sh"
// The line above is for a shell; to JavaScript it is a string and a comment. Yarn calls Node.
require("./launch.js")("browse-mcp");
