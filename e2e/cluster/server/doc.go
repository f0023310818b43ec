// Package server runs the real API server of Kubernetes on loopback, and the real
// kubectl against it: both, and etcd, are built from their Go modules. No controller,
// scheduler or kubelet runs, so only the API server changes an object.
//
//	programs, err := server.Build(ctx)
//	cluster, err := server.Start(ctx, programs)
//	defer cluster.Stop()
//	answer := cluster.Kubectl(ctx, manifest, "apply", "-f", "-")
package server
