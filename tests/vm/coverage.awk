# From the lines "#@ kind groups truth value error" a table: the share of intervals that contain the truth, the mean
# half-width, the root mean square of the real error, both in per cent, and the ratio of the two. Of errors that are
# normally distributed, intervals that contain 95% have a ratio of 1.96; with a ratio of 3 they are more than half as
# wide again as necessary. The last column is the ratio to the error that 95% of the estimates do not exceed, which is 1
# for any distribution.
$1 == "#@" {
	sub(/\r$/, "")
	cell = $2 " " $3
	if (!(cell in n)) order[++cells] = cell
	error = $5 / $4 - 1
	if (error < 0) error = -error
	n[cell]++
	if ($6 == "-") unknown[cell]++
	if ($6 == "step") in_step[cell]++
	if ($6 == "-" || $6 == "step") next
	known = n[cell] - unknown[cell] - in_step[cell]
	squares[cell] += error * error
	of[cell, known] = error
	width[cell] += $6 / $4
	inside[cell] += error * $4 <= $6
}
# Returns the error that this share of the cell's errors does not exceed; sorts them.
function quantile(cell, count, share,   i, k, x) {
	for (i = 2; i <= count; i++) {
		x = of[cell, i]
		for (k = i - 1; k > 0 && of[cell, k] > x; k--) of[cell, k + 1] = of[cell, k]
		of[cell, k + 1] = x
	}
	i = int(share * count + 0.999999)
	return of[cell, i < 1 ? 1 : i]
}
END {
	printf "%-11s %6s %9s %8s %11s %10s %6s %9s\n", "rate", "groups", "estimates", "inside", "half-width", "real error", "ratio", "of 95%"
	for (i = 1; i <= cells; i++) {
		cell = order[i]
		known = n[cell] - unknown[cell] - in_step[cell]
		rms = known ? sqrt(squares[cell] / known) : 0
		mean = known ? width[cell] / known : 0
		most = quantile(cell, known, 0.95)
		split(cell, part, " ")
		printf "%-11s %6d %9d %7.1f%% %10.2f%% %9.2f%% %6.1f %9.1f%s%s\n", part[1], part[2], n[cell],
			known ? 100 * inside[cell] / known : 0, 100 * mean, 100 * rms, rms ? mean / rms : 0,
			most ? mean / most : 0, unknown[cell] ? "  unknown: " unknown[cell] : "", in_step[cell] ? "  in step: " in_step[cell] : ""
		all += known; in_all += inside[cell]
	}
	printf "inside: %.1f%% of %d\n", all ? 100 * in_all / all : 0, all
	exit all == 0
}
