package wrapper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nephio-project/porch/func/evaluator"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// MaxMessage is the size in bytes that no request and no answer may have, in each part of
// Porch, unless its flags say otherwise.
const MaxMessage = 6 * 1024 * 1024

// Image is the function's name in the requests.
const Image = "ghcr.io/resource-merge/resource-merge"

// Server is a running wrapper server.
type Server struct {
	cmd        *exec.Cmd
	log        tail
	ended      chan struct{} // closed when the server has ended
	connection *grpc.ClientConn
}

// Start starts the server over a function, on a free port, and waits until it answers.
// cpus are the processors that it and its children may use, nil for all.
func Start(program string, cpus []int, function ...string) (*Server, error) {
	const attempts = 3 // another program may take a port that was free
	var err error
	for range attempts {
		var s *Server
		if s, err = start(program, cpus, function); err == nil {
			return s, nil
		}
	}
	return nil, err
}

func start(program string, cpus []int, function []string) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{ended: make(chan struct{})}
	s.cmd = exec.Command(program, append([]string{"--port", fmt.Sprint(port), "--"}, function...)...)
	s.cmd.Stderr = &s.log
	if err := startOn(s.cmd, cpus); err != nil {
		return nil, err
	}
	go func() {
		s.cmd.Wait() // Stop asks the server to end, and the log says why it did before
		close(s.ended)
	}()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	if err := s.wait(address); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	s.connection, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessage), grpc.MaxCallSendMsgSize(MaxMessage)))
	return s, err
}

// wait waits until the server listens.
func (s *Server) wait(address string) error {
	for deadline := time.After(time.Minute); ; {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server ended: %s", s.log.String())
		case <-deadline:
			return fmt.Errorf("the server does not listen: %w: %s", err, s.log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Evaluate sends a ResourceList and returns the answer: the result, and the function's
// stderr.
func (s *Server) Evaluate(ctx context.Context, list []byte, options ...grpc.CallOption) (*evaluator.EvaluateFunctionResponse, error) {
	client := evaluator.NewFunctionEvaluatorClient(s.connection)
	return client.EvaluateFunction(ctx, &evaluator.EvaluateFunctionRequest{ResourceList: list, Image: Image}, options...)
}

// Stop ends the server.
func (s *Server) Stop() error {
	var err error
	if s.connection != nil {
		err = s.connection.Close()
	}
	s.cmd.Process.Signal(syscall.SIGTERM) // an error says that it has ended
	<-s.ended
	return err
}

// freePort finds a port that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// tail keeps the last bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const kept = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*kept {
		t.text = append([]byte(nil), t.text[len(t.text)-kept:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
