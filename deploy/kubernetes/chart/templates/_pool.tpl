{{/* The pods of the pool: metadata and spec, the same in both profiles. */}}
{{- define "browse.podTemplate" -}}
metadata:
  labels:
    {{- include "browse.selector" (dict "root" $ "component" "pod") | nindent 4 }}
    browse.dev/pod: {{ .Release.Name | quote }}
    {{- if eq .Values.profile "plain" }}
    browse.dev/pool: {{ .Release.Name | quote }}
    {{- end }}
  annotations:
    # Its volumes hold nothing that keeps a node from being removed.
    cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes: tmp,shm
    {{- with .Values.pool.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ .Release.Name }}-pool
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The first process of a pod waits for orphans of the browser: let that be the pause container.
  shareProcessNamespace: true
  # After the calls have ended, sessions are saved and the browser ends.
  terminationGracePeriodSeconds: {{ add .Values.pool.drainSeconds (ternary 30 15 (ne .Values.state.url "")) }}
  {{- with .Values.pool.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- include "browse.podSecurity" . | nindent 4 }}
    seccompProfile:
      type: {{ .Values.pool.seccomp.type }}
      {{- with .Values.pool.seccomp.localhostProfile }}
      localhostProfile: {{ . }}
      {{- end }}
  # Public names are asked for as they are, and not with each domain of the cluster first.
  dnsConfig:
    options: [{ name: ndots, value: "1" }]
  {{- with include "browse.pullSecrets" . }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- $lost := list }}
  {{- range list "not-ready" "unreachable" }}
  {{- $lost = append $lost (dict "key" (printf "node.kubernetes.io/%s" .) "operator" "Exists" "effect" "NoExecute" "tolerationSeconds" (int $.Values.pool.lostNodeSeconds)) }}
  {{- end }}
  {{- $tolerations := concat $lost .Values.pool.tolerations }}
  {{- with include "browse.placement" (merge (dict "tolerations" $tolerations) .Values.pool) }}
  {{- trim . | nindent 2 }}
  {{- end }}
  {{- with .Values.pool.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: browsed
      image: {{ include "browse.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [browsed, --pod]
      env:
        - name: BROWSE_POD_UID
          valueFrom: { fieldRef: { fieldPath: metadata.uid } }
        - { name: BROWSE_POD_LISTEN, value: "{{ .Values.listenAddress }}:7443" }
        - { name: BROWSE_POD_HEALTH, value: "{{ .Values.listenAddress }}:7480" }
        - { name: BROWSE_POD_TLS, value: /etc/browse/tls }
        - { name: BROWSE_POD_SESSIONS, value: {{ .Values.pool.sessions | quote }} }
        - { name: BROWSE_POD_HOSTS, value: {{ join "," .Values.pool.hosts | quote }} }
        - { name: BROWSE_POD_DRAIN, value: {{ .Values.pool.drainSeconds }}s }
        {{- if .Values.state.url }}
        - { name: BROWSE_POD_STATE, value: {{ .Values.state.url | quote }} }
        - { name: BROWSE_POD_STATE_KEY_FILE, value: /etc/browse/state/key }
        - { name: BROWSE_POD_STATE_INTERVAL, value: {{ int .Values.state.intervalSeconds }}s }
        {{- end }}
        # The folders of the image are read-only here.
        - { name: HOME, value: /tmp/browse/home }
        - { name: BROWSE_PROJECT, value: /tmp/browse/project }
        - { name: BROWSE_KEYCHAIN, value: "false" }
        - { name: BROWSE_LOG, value: {{ .Values.pool.log | quote }} }
        {{- range $name, $value := .Values.pool.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      {{- with .Values.state.credentialsSecret }}
      envFrom:
        - secretRef: { name: {{ . }} }
      {{- end }}
      ports:
        - { name: gate, containerPort: 7443 }
        - { name: health, containerPort: 7480 }
      # A pod is claimed when it is ready, so that is looked for often.
      startupProbe:
        httpGet: { path: /startupz, port: health }
        periodSeconds: 1
        timeoutSeconds: 2
        failureThreshold: 120
      readinessProbe:
        httpGet: { path: /readyz, port: health }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 2
      livenessProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 10
        timeoutSeconds: 5
      resources:
        {{- toYaml .Values.pool.resources | nindent 8 }}
      securityContext:
        {{- include "browse.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - { name: tls, mountPath: /etc/browse/tls, readOnly: true }
        {{- if .Values.state.url }}
        - { name: state, mountPath: /etc/browse/state, readOnly: true }
        {{- end }}
        - { name: tmp, mountPath: /tmp }
        - { name: shm, mountPath: /dev/shm }
  volumes:
    # 288 is 0440: for the group of the pod.
    - name: tls
      secret: { secretName: {{ include "browse.podSecret" . }}, defaultMode: 288 }
    {{- with .Values.state.keySecret }}
    - name: state
      secret: { secretName: {{ . }}, defaultMode: 288, items: [{ key: key, path: key }] }
    {{- end }}
    - name: tmp
      emptyDir: { sizeLimit: {{ .Values.pool.tmpSize }} }
    - name: shm
      emptyDir: { medium: Memory, sizeLimit: {{ .Values.pool.shmSize }} }
{{- end }}
