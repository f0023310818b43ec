// Package values compares a user's values file of a Helm chart with the defaults of two versions of the chart
// (rules/values: classes). Read reads a chart, Compare classes each line of the user's files, and Write writes the
// files for the new version.
package values
