package e2e

import (
	"slices"
	"testing"
)

// tableDifference is a test of kpt's that fails with the engine or with the command, and
// is meant to.
type tableDifference struct {
	test, class string
	// shows is a part of the failing test's output: the error, or the files that differ.
	shows string
}

// kptTableClasses lists the classes of these differences.
func kptTableClasses() []class {
	return []class{
		{"words", "an error is one sentence of ours; kpt's is git's or the system's (rules/input: bad input)"},
		{"console", "what was done is said in the report; kpt prints its steps (rules/reports: what a report is)"},
		{"in kpt", "the test asks for what kpt keeps in memory of its fetches, of all subpackages (rules/update: subpackages with an upstream)"},
		{"upstream reference", "merge leaves to update where the package is from; kpt's copy-merge takes the field from upstream (rules/kptfiles: Kptfiles)"},
		{"empty upstream", "an upstream without files would delete the package, and is an error of its own (rules/function: missing sides)"},
		{"Kptfile of another kind", "a Kptfile is known by its name; under copy-merge upstream's replaces one that kpt cannot read (rules/kptfiles: Kptfiles)"},
		{"deleted upstream", "what upstream deleted goes, with a conflict if local changed it; kpt keeps it, or fetches it again (rules/resources: additions and deletions; rules/kptfiles: subpackages)"},
		{"same on both sides", "a package that both sides added with the same content is no conflict (rules/kptfiles: subpackages)"},
		{"own origin", "the lock of the copy says what a subpackage began as that the package only named; kpt gives up (rules/update: notes in the Kptfile)"},
		{"own version", "a subpackage that the user took to another version is left alone; kpt takes it back (rules/kptfiles: subpackages)"},
		{"identity", "no identity is written into what upstream never had, nor by an update that changes nothing; kpt writes it into all (rules/update: merge comments)"},
		{"other file", "a file that both changed is a conflict, and upstream's is taken; kpt keeps local's and says nothing (rules/conflicts: policies)"},
		{"order", "what upstream added goes where upstream has it; kpt puts it at the end (rules/lists: order)"},
	}
}

// TestKptTableClasses finds a class that no difference has.
func TestKptTableClasses(t *testing.T) {
	for _, c := range kptTableClasses() {
		of := func(d tableDifference) bool { return d.class == c.name }
		if !slices.ContainsFunc(commandDifferences(), of) && !slices.ContainsFunc(engineDifferences(), of) {
			t.Errorf("no difference is of class %q", c.name)
		}
	}
}

// commandDifferences lists the differences of `resource-merge update`, in the order of kpt's files.
func commandDifferences() []tableDifference {
	return []tableDifference{
		{"TestCommand_Run_localPackageChanges/update_using_resource-merge_strategy_with_local_changes", "order", "was [java/java-"},
		{"TestCommand_Run_localPackageChanges/update_using_fast-forward_strategy_with_local_changes", "words", "cannot fast-forward: your copy differs"},
		{"TestCommand_Run_failInvalidPath/resource-merge", "words", "no such directory"},
		{"TestCommand_Run_failInvalidPath/fast-forward", "words", "no such directory"},
		{"TestCommand_Run_failInvalidPath/force-delete-replace", "words", "no such directory"},
		{"TestCommand_Run_failInvalidPath/copy-merge", "words", "no such directory"},
		{"TestCommand_Run_badUpstreamLock/bad_commit", "words", "has no branch, tag or commit"},
		{"TestCommand_Run_failInvalidRef/resource-merge", "words", "has no branch, tag or commit"},
		{"TestCommand_Run_failInvalidRef/fast-forward", "words", "has no branch, tag or commit"},
		{"TestCommand_Run_failInvalidRef/force-delete-replace", "words", "has no branch, tag or commit"},
		{"TestCommand_Run_failInvalidRef/copy-merge", "words", "has no branch, tag or commit"},
		{"TestCommand_Run_badStrategy", "words", `\"foo\" is not allowed`},
		{"TestCommand_Run_local_subpackages/overlapping_additions_in_both_upstream_and_local#resource-merge", "same on both sides", "An error is expected but got nil"},
		{"TestCommand_Run_local_subpackages/overlapping_additions_in_both_upstream_and_local#fast-forward", "same on both sides", "An error is expected but got nil"},
		{"TestCommand_Run_local_subpackages/removed_Kptfile_from_upstream#resource-merge", "deleted upstream", "was [bar/Kptfile]"},
		{"TestCommand_Run_local_subpackages/subpackage_deleted_from_upstream_but_has_local_changes#resource-merge", "deleted upstream", "was [bar"},
		{"TestCommand_Run_local_subpackages/non-krm_files_updated_in_both_upstream_and_local#resource-merge", "other file", "was [data.txt]"},
		{"TestRun_remote_subpackages/remote_subpackage_has_gone_from_fetched_to_unfetched_state_in_upstream", "deleted upstream", "was [subpkg/configmap.yaml]"},
		{"TestRun_remote_subpackages/remote_subpackage_has_gone_from_unfetched_to_fetched_state_in_upstream", "own origin", "An error is expected but got nil"},
		{"TestRun_remote_subpackages/subpackage_with_force-delete-replace_strategy_updated_in_both_local_and_upstream", "own version", "foo/configmap.yaml"},
		{"TestRun_remote_subpackages/two_different_remote_packages_in_same_path_added_in_upstream_and_local", "words", "was added both upstream and locally"},
		{"TestRun_remote_subpackages/Kptfile_in_the_root_package_is_merged", "order", "was [Kptfile]"},
		{"TestRun_remote_subpackages/Kptfiles_in_unfetched_subpackages_are_merged", "order", "subpkg/deployment.yaml"},
		{"TestRun_remote_subpackages/remote_and_local_subpackages_added_in_local", "identity", "localsubpkg/secret.yaml"},
		{"TestRun_remote_subpackages/remote_subpackage_deleted_from_local", "identity", "was [deployment.yaml]"},
		{"TestRun_remote_subpackages/remote_subpackage_deleted_from_upstream,_but_local_has_updated_package", "identity", "foo/configmap.yaml"},
		{"TestRun_remote_subpackages/subpackage_with_resource-merge_strategy_updated_in_both_local_and_upstream", "identity", "foo/secret.yaml"},
		{"TestMultiUpdateCache", "in kpt", "expected: 2"},
		{"TestCmd_output/basic_package", "console", "Updated 1 package(s)."},
		{"TestCmd_output/nested_packages", "console", "Updated 2 package(s)."},
		{"TestCmd_output/subpackage_deleted_from_upstream", "deleted upstream", "was [subpkg1"},
		{"TestCmd_output/Adding_package_in_upstream", "console", "Updated 2 package(s)."},
	}
}

// engineDifferences lists the differences of the engine. kpt itself does everything
// around its updaters, so most of the command's differences are none here.
func engineDifferences() []tableDifference {
	return []tableDifference{
		{"TestCopyMerge/only_kpt_file_update", "upstream reference", "was [Kptfile]"},
		{"TestCopyMerge/new_package_and_subpackage", "upstream reference", "was [Kptfile]"},
		{"TestCopyMerge/updates_local_subpackages", "upstream reference", "was [Kptfile]"},
		{"TestCopyMerge/file_removal_if_file_exists_in_origin_but_not_in_update", "upstream reference", "was [Kptfile]"},
		{"TestCopyMergeDifferentMetadata/sub_folder_with_different_kptfile", "upstream reference", "was [Kptfile]"},
		{"TestCopyMergeErrorUpdatingKptfile", "Kptfile of another kind", "An error is expected but got nil"},
		{"TestCopyMergeErrorCopyingFile", "words", "cannot become a file"},
		{"TestCopyMergeErrorRemovingFile", "empty upstream", "upstream has no resources"},
		{"TestUpdate_ResourceMerge/does_not_remove_a_file_from_local_if_it_has_local_changes", "deleted upstream", "was [deployment.yaml]"},
		{"TestCommand_Run_localPackageChanges/update_using_resource-merge_strategy_with_local_changes", "order", "was [java/java-"},
		{"TestCommand_Run_localPackageChanges/update_using_fast-forward_strategy_with_local_changes", "words", "cannot fast-forward: your copy differs"},
		{"TestCommand_Run_local_subpackages/overlapping_additions_in_both_upstream_and_local#resource-merge", "same on both sides", "An error is expected but got nil"},
		{"TestCommand_Run_local_subpackages/overlapping_additions_in_both_upstream_and_local#fast-forward", "same on both sides", "An error is expected but got nil"},
		{"TestCommand_Run_local_subpackages/removed_Kptfile_from_upstream#resource-merge", "deleted upstream", "was [bar/Kptfile]"},
		{"TestCommand_Run_local_subpackages/subpackage_deleted_from_upstream_but_has_local_changes#resource-merge", "deleted upstream", "was [bar"},
		{"TestCommand_Run_local_subpackages/non-krm_files_updated_in_both_upstream_and_local#resource-merge", "other file", "was [data.txt]"},
		{"TestRun_remote_subpackages/remote_subpackage_has_gone_from_fetched_to_unfetched_state_in_upstream", "deleted upstream", "was [subpkg/configmap.yaml]"},
		{"TestRun_remote_subpackages/Kptfile_in_the_root_package_is_merged", "order", "was [Kptfile]"},
	}
}
