{{/* Parts of the network policies. */}}

{{- define "browse.gatePeer" -}}
- podSelector:
    matchLabels:
      {{- include "browse.selector" (dict "root" $ "component" "gate") | nindent 6 }}
{{- end }}

{{- define "browse.dnsRule" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.peers | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - { port: {{ . }}, protocol: UDP }
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
{{- end }}

{{/* A rule from `peers` and `ports`; any address when there are no peers. */}}
{{- define "browse.egressRule" -}}
- ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with .peers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "browse.publicRule" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- include "browse.notPublicIPv4" . | nindent 10 }}
    - ipBlock:
        # All that is public in IPv6. Loopback, private and local addresses, multicast, NAT64 and the
        # metadata services at fd00:ec2::/32 and fd20:ce::/32 are outside of it.
        cidr: 2000::/3
        except:
          {{- include "browse.notPublicIPv6" . | nindent 10 }}
  {{- with .Values.networkPolicy.publicPorts }}
  ports:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The special-purpose addresses of IANA. 169.254.0.0/16 has most metadata services. */}}
{{- define "browse.notPublicIPv4" -}}
- 0.0.0.0/8
- 10.0.0.0/8
- 100.64.0.0/10
- 127.0.0.0/8
- 168.63.129.16/32 # the agent of Azure
- 169.254.0.0/16
- 172.16.0.0/12
- 192.0.0.0/24
- 192.0.2.0/24
- 192.88.99.0/24
- 192.168.0.0/16
- 198.18.0.0/15
- 198.51.100.0/24
- 203.0.113.0/24
- 224.0.0.0/4
- 240.0.0.0/4
{{- range .Values.networkPolicy.clusterRanges }}
{{- if not (contains ":" .) }}
- {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* What 2000::/3 has that is not public. Teredo and 6to4 lead to IPv4 addresses. */}}
{{- define "browse.notPublicIPv6" -}}
- 2001::/23
- 2001:db8::/32
- 2002::/16
- 3fff::/20
{{- range .Values.networkPolicy.clusterRanges }}
{{- /* The API server refuses an exception that is not inside of the block. */}}
{{- if regexMatch "^[23][0-9a-fA-F]{3}:" . }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "browse.ciliumHost" -}}
- {{ if contains "*" . }}matchPattern{{ else }}matchName{{ end }}: {{ . | quote }}
{{- end }}
