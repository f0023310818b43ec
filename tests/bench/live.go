package bench

import (
	"bytes"
	"fmt"
	"strings"
)

const liveConfig = `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ResourceMerge
  strategy: apply
  apply: {namespace: prod}
`

// liveList is n live Deployments of about 4 KB, with managedFields and what was applied
// last, and their config. One in every was scaled since then, and has another image in
// config.
func liveList(every, n int) []byte {
	return perSide(liveConfig, func(b *bytes.Buffer, side string) {
		for i := range n {
			name, replicas, image := fmt.Sprintf("web-%d", i), 2, "1.0"
			if i%every == 0 {
				replicas, image = 5, "1.1"
			}
			switch annotations := bookkeeping(side, name+".yaml"); side {
			case "local":
				b.WriteString(strings.NewReplacer("NAME", name, "NUMBER", fmt.Sprint(i), "REPLICAS", fmt.Sprint(replicas), "    annotations:\n", annotations).Replace(liveFormat))
			case "upstream":
				fmt.Fprintf(b, configFormat, name, image, annotations)
			}
		}
	})
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

// configFormat takes the name, the tag of the image, and the annotations.
const configFormat = `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: %[1]s
%[3]s  spec:
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
