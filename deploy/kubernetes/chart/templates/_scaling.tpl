{{/* Parts of what scales the pool. */}}

{{/* What has the size of the pool. Both have the subresource scale. */}}
{{- define "browse.poolKind" -}}
{{- if eq .Values.profile "plain" -}}
apiVersion: apps/v1, kind: Deployment
{{- else -}}
apiVersion: extensions.agents.x-k8s.io/v1beta1, kind: SandboxWarmPool
{{- end }}
{{- end }}

{{- define "browse.kedaAuthentication" -}}
{{- with .Values.scaling.keda.authentication }}
authenticationRef: { name: {{ . }} }
{{- end }}
{{- end }}

{{/* Up at once, down slowly: a warm pod costs less than a caller that waits. */}}
{{- define "browse.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  selectPolicy: Max
  policies:
    - { type: Percent, value: 100, periodSeconds: 15 }
    - { type: Pods, value: 5, periodSeconds: 15 }
scaleDown:
  stabilizationWindowSeconds: 300
  policies:
    - { type: Percent, value: 20, periodSeconds: 60 }
{{- end }}
