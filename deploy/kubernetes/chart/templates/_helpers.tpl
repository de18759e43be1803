{{/* Labels of an object: `include "browse.labels" (dict "root" $ "component" "gate")`. */}}
{{- define "browse.labels" -}}
{{ include "browse.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The labels that a component is found by; they never change. */}}
{{- define "browse.selector" -}}
app.kubernetes.io/name: browse
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Name, namespace and labels: `include "browse.metadata" (dict "root" $ "name" "gate" "component" "gate")`. */}}
{{- define "browse.metadata" -}}
name: {{ .root.Release.Name }}-{{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "browse.labels" . | nindent 2 }}
{{- end }}

{{- define "browse.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "browse.kubernetes" -}}
{{ .Values.kubernetesVersion | default .Capabilities.KubeVersion.Version }}
{{- end }}

{{- define "browse.gateSecret" -}}
{{ if eq .Values.certificates.mode "existing" }}{{ .Values.certificates.existing.gateSecret }}{{ else }}{{ .Release.Name }}-gate-tls{{ end }}
{{- end }}

{{- define "browse.podSecret" -}}
{{ if eq .Values.certificates.mode "existing" }}{{ .Values.certificates.existing.podSecret }}{{ else }}{{ .Release.Name }}-pod-tls{{ end }}
{{- end }}

{{/* Of a pod and of its container, by the level `restricted` of the Pod Security Standards. */}}
{{- define "browse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
{{- end }}

{{- define "browse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Where a pod is placed, from the settings of a component. */}}
{{- define "browse.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "browse.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Refuses settings that contradict each other, which the schema cannot see. */}}
{{- define "browse.check" -}}
{{- $values := .Values }}
{{- $kubernetes := include "browse.kubernetes" . }}
{{- if not $values.image.repository }}
{{- fail "set image.repository: browse has no public registry, so push the image to one of yours (deploy/image/README.md)" }}
{{- end }}
{{- with $values.auth }}
{{- if not (or .apiKeys.secret .issuer) }}
{{- fail "set auth.apiKeys.secret, auth.issuer, or both: without them nobody can call" }}
{{- end }}
{{- if and .issuer (not .audience) }}
{{- fail "set auth.audience, which auth.issuer requires" }}
{{- end }}
{{- if and (not .issuer) (or .audience .jwksUrl .jwks.configMap) }}
{{- fail "set auth.issuer, which auth.audience, auth.jwksUrl and auth.jwks require" }}
{{- end }}
{{- if and .jwksUrl .jwks.configMap }}
{{- fail "set one of auth.jwksUrl and auth.jwks.configMap" }}
{{- end }}
{{- if and $values.login.clientId (not .issuer) }}
{{- fail "set auth.issuer, which login.clientId requires" }}
{{- end }}
{{- end }}
{{- with $values.certificates }}
{{- if and (eq .mode "existing") (not (and .existing.gateSecret .existing.podSecret)) }}
{{- fail "set certificates.existing.gateSecret and .podSecret, which the mode existing requires" }}
{{- end }}
{{- end }}
{{- if ne (eq $values.state.url "") (eq $values.state.keySecret "") }}
{{- fail "set state.url and state.keySecret together" }}
{{- end }}
{{- if and $values.state.credentialsSecret (not $values.state.url) }}
{{- fail "set state.url, which state.credentialsSecret requires" }}
{{- end }}
{{- with $values.pool.seccomp }}
{{- if ne (eq .type "Localhost") (ne .localhostProfile "") }}
{{- fail "set pool.seccomp.localhostProfile with the type Localhost, and only then" }}
{{- end }}
{{- end }}
{{- with $values.scaling }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
{{- fail "scaling.minReplicas is larger than scaling.maxReplicas" }}
{{- end }}
{{- if and (eq .mode "hpa") (semverCompare "<1.23-0" $kubernetes) }}
{{- fail (printf "scaling.mode hpa needs autoscaling/v2, which Kubernetes %s does not have" $kubernetes) }}
{{- end }}
{{- if and (eq .mode "hpa") (lt (int .minReplicas) 1) }}
{{- fail "scaling.minReplicas is at least 1 with the mode hpa" }}
{{- end }}
{{- if and (eq .mode "keda") (not .keda.prometheusAddress) }}
{{- fail "set scaling.keda.prometheusAddress, which the mode keda requires" }}
{{- end }}
{{- end }}
{{- if and $values.monitoring.podMonitor.enabled $values.networkPolicy.enabled (not $values.networkPolicy.scrapers) }}
{{- fail "set networkPolicy.scrapers: with monitoring.podMonitor, Prometheus must be allowed to read metrics" }}
{{- end }}
{{- if and $values.gate.ingress.enabled (not $values.gate.ingress.hosts) }}
{{- fail "set gate.ingress.hosts" }}
{{- end }}
{{- end }}
