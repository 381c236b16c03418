# Adds up TAP logs: "N passed, N failed, N skipped". A log whose plan and tests disagree, or that has no plan (the
# program died), is a failure; so is an empty one. Exits 1 on any failure.
#
#   awk -f total.awk [-v quiet=1] LOG...

function finish() {
	if (name == "")
		return
	if (plans == 0 || planned != seen) {
		failed++
		printf "# %s: %d tests planned, %d run\n", name, planned, seen
	}
}

FNR == 1 {
	finish()
	name = FILENAME
	planned = seen = plans = 0
}

/^1\.\.[0-9]+/ { planned += substr($1, 4); plans++ }
/^ok /         { seen++; if (tolower($0) ~ /# skip/) skipped++; else passed++ }
/^not ok /     { seen++; failed++; if (!quiet) print }

END {
	finish()
	if (passed + failed == 0) {
		failed++
		print "# no tests were run"
	}
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0
}
