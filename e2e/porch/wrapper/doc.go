// Package wrapper runs Porch's wrapper server over a function, and sends it requests as
// Porch does. In Porch a pod has the image of a function with this server as its
// entrypoint: each request is one process of the function.
//
//	programs, err := wrapper.Build(ctx, dir)
//	server, err := wrapper.Start(programs.Server, nil, programs.Function)
//	defer server.Stop()
//	answer, err := server.Evaluate(ctx, list)
package wrapper
