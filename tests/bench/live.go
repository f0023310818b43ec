package bench

import (
	"bytes"
	"fmt"
	"strings"
)

const liveHead = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ResourceMerge
  strategy: apply
  apply: {namespace: prod}
items:
`

// liveList is n live Deployments of about 4 KB, with managedFields and what was applied
// last, and their config. One in every was scaled since then, and has another image in
// config.
func liveList(every, n int) []byte {
	var b bytes.Buffer
	b.WriteString(liveHead)
	for i := range n {
		replicas := 2
		if i%every == 0 {
			replicas = 5
		}
		b.WriteString(strings.NewReplacer("NAME", fmt.Sprintf("web-%d", i), "NUMBER", fmt.Sprint(i), "REPLICAS", fmt.Sprint(replicas)).Replace(liveFormat))
	}
	for i := range n {
		image := "1.0"
		if i%every == 0 {
			image = "1.1"
		}
		fmt.Fprintf(&b, configFormat, fmt.Sprintf("web-%d", i), image)
	}
	return b.Bytes()
}

const liveFormat = `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    annotations:
      deployment.kubernetes.io/revision: "1"
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{},"name":"NAME","namespace":"prod"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"NAME"}},"template":{"metadata":{"labels":{"app":"NAME"}},"spec":{"containers":[{"env":[{"name":"LOG_LEVEL","value":"info"}],"image":"registry.example.com/web:1.0","name":"web","ports":[{"containerPort":8080,"name":"http"}],"resources":{"limits":{"memory":"256Mi"}}}]}}}}
    creationTimestamp: "2026-01-02T03:04:05Z"
    generation: 4
    managedFields:
    - apiVersion: apps/v1
      fieldsType: FieldsV1
      fieldsV1:
        f:metadata:
          f:annotations:
            .: {}
            f:kubectl.kubernetes.io/last-applied-configuration: {}
        f:spec:
          f:progressDeadlineSeconds: {}
          f:revisionHistoryLimit: {}
          f:selector: {}
          f:strategy:
            f:rollingUpdate:
              .: {}
              f:maxSurge: {}
              f:maxUnavailable: {}
            f:type: {}
          f:template:
            f:metadata:
              f:labels:
                .: {}
                f:app: {}
            f:spec:
              f:containers:
                k:{"name":"web"}:
                  .: {}
                  f:env:
                    .: {}
                    k:{"name":"LOG_LEVEL"}:
                      .: {}
                      f:name: {}
                      f:value: {}
                  f:image: {}
                  f:imagePullPolicy: {}
                  f:name: {}
                  f:ports:
                    .: {}
                    k:{"containerPort":8080,"protocol":"TCP"}:
                      .: {}
                      f:containerPort: {}
                      f:name: {}
                      f:protocol: {}
                  f:resources:
                    .: {}
                    f:limits:
                      .: {}
                      f:memory: {}
                  f:terminationMessagePath: {}
                  f:terminationMessagePolicy: {}
              f:dnsPolicy: {}
              f:restartPolicy: {}
              f:schedulerName: {}
              f:securityContext: {}
              f:terminationGracePeriodSeconds: {}
      manager: kubectl-client-side-apply
      operation: Update
      time: "2026-01-02T03:04:05Z"
    - apiVersion: apps/v1
      fieldsType: FieldsV1
      fieldsV1:
        f:spec:
          f:replicas: {}
      manager: kubectl
      operation: Update
      subresource: scale
      time: "2026-01-03T03:04:05Z"
    name: NAME
    namespace: prod
    resourceVersion: "NUMBER"
    uid: 6f1d4a52-0c2b-4c5e-9d43-00000NUMBER
  spec:
    progressDeadlineSeconds: 600
    replicas: REPLICAS
    revisionHistoryLimit: 10
    selector:
      matchLabels:
        app: NAME
    strategy:
      rollingUpdate:
        maxSurge: 25%
        maxUnavailable: 25%
      type: RollingUpdate
    template:
      metadata:
        labels:
          app: NAME
      spec:
        containers:
        - env:
          - name: LOG_LEVEL
            value: info
          image: registry.example.com/web:1.0
          imagePullPolicy: IfNotPresent
          name: web
          ports:
          - containerPort: 8080
            name: http
            protocol: TCP
          resources:
            limits:
              memory: 256Mi
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
        dnsPolicy: ClusterFirst
        restartPolicy: Always
        schedulerName: default-scheduler
        securityContext: {}
        terminationGracePeriodSeconds: 30
  status:
    observedGeneration: 4
    replicas: REPLICAS
`

// configFormat takes the name and the tag of the image.
const configFormat = `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: %[1]s
    annotations:
      config.kubernetes.io/merge-source: upstream
  spec:
    replicas: 2
    selector:
      matchLabels:
        app: %[1]s
    template:
      metadata:
        labels:
          app: %[1]s
      spec:
        containers:
        - name: web
          image: registry.example.com/web:%[2]s # released
          env:
          - name: LOG_LEVEL
            value: info
          ports:
          - name: http
            containerPort: 8080
          resources:
            limits:
              memory: 256Mi
`
