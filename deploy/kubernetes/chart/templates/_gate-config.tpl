{{/* The settings of the gateway, server/gate/src/config.rs. A string or an array of strings as JSON is
one of TOML too. */}}

{{- define "browse.gateConfig" -}}
listen = "{{ .Values.listenAddress }}:8080"
control = "{{ .Values.listenAddress }}:7444"
health = "{{ .Values.listenAddress }}:7481"
tls = "/etc/browse/tls"
{{- if .Values.gate.publicTls.secret }}
public_tls = "/etc/browse/public-tls"
{{- end }}
{{- with .Values.gate.publicUrl }}
public_url = {{ . | toJson }}
{{- end }}
pod_port = 7443
sessions_per_pod = {{ int .Values.pool.sessions }}
empty_pod_time = "{{ int .Values.pool.emptySeconds }}s"
idle_session_time = "{{ int .Values.pool.idleSessionSeconds }}s"
drain_time = "{{ int .Values.gate.drainSeconds }}s"
{{- if .Values.state.url }}
restore_sessions = true
{{- end }}
{{- if .Values.gate.accessLog }}
access_log = true
{{- end }}

[cluster]
namespace = {{ .Release.Namespace | toJson }}
fleet = {{ .Release.Name | toJson }}
lease = "{{ .Release.Name }}-gate"
# Pods with a tenant are deleted with this Deployment.
owner = "{{ .Release.Name }}-gate"
{{- if eq .Values.profile "agent-sandbox" }}

[cluster.sandbox]
warm_pool = "{{ .Release.Name }}-pool"
claim_time = "{{ int .Values.agentSandbox.claimSeconds }}s"
waiting_claims = {{ int .Values.agentSandbox.waitingClaims }}
{{- end }}

[auth]
{{- with .Values.auth }}
{{- if .apiKeys.secret }}
api_keys = {{ printf "/etc/browse/api-keys/%s" .apiKeys.key | toJson }}
{{- end }}
{{- if .issuer }}
issuer = {{ .issuer | toJson }}
audience = {{ .audience | toJson }}
{{- end }}
{{- if .jwksUrl }}
jwks_url = {{ .jwksUrl | toJson }}
{{- end }}
{{- if .jwks.configMap }}
jwks_file = {{ printf "/etc/browse/jwks/%s" .jwks.key | toJson }}
{{- end }}
{{- with .tenantClaim }}
tenant_claim = {{ . | toJson }}
{{- end }}
{{- with .scopeClaim }}
scope_claim = {{ . | toJson }}
{{- end }}
{{- with .sessionClaim }}
session_claim = {{ . | toJson }}
{{- end }}
default_scopes = {{ .defaultScopes | toJson }}

[auth.default_quota]
{{ include "browse.quota" .defaultQuota }}
{{- range $tenant, $quota := .quotas }}

[auth.quotas.{{ $tenant | toJson }}]
{{ include "browse.quota" $quota }}
{{- end }}
{{- end }}
{{- if .Values.login.clientId }}

[login]
client_id = {{ .Values.login.clientId | toJson }}
scopes = {{ .Values.login.scopes | toJson }}
{{- end }}
{{- with .Values.traces }}
{{- if .endpoint }}

[traces]
endpoint = {{ .endpoint | toJson }}
sample = {{ .sample }}
tenant = {{ .tenant }}
hosts = {{ .hosts }}
queue = {{ int .queue }}
interval = "{{ int .intervalSeconds }}s"
{{- end }}
{{- end }}
{{- end }}

{{- define "browse.quota" -}}
sessions = {{ int .sessions }}
sessions_per_minute = {{ int .sessionsPerMinute }}
queue = {{ int .queue }}
{{- end }}
