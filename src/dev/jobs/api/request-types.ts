/**
 * The fields of request bodies and their types, one line per type. `[]T` is a list, `map` an object with free keys, `any` is
 * not checked.
 */
const lines = `
JobRegisterRequest | Job:Job Submission:JobSubmission EnforceIndex:bool JobModifyIndex:uint64 PolicyOverride:bool PreserveCounts:bool PreserveResources:bool EvalPriority:int Namespace:string Region:string
JobPlanRequest | Job:Job Diff:bool PolicyOverride:bool Namespace:string Region:string
JobSubmission | Source:string Format:string VariableFlags:map Variables:string
JobsParseRequest | JobHCL:string Canonicalize:bool Variables:string VariableFlags:map HCLv1:bool
JobDispatchRequest | JobID:string Payload:string Meta:map IdPrefixTemplate:string IdempotencyToken:string Priority:int
JobRevertRequest | JobID:string JobVersion:uint64 EnforcePriorVersion:uint64
TagVersionRequest | Version:uint64 Latest:bool Description:string
JobStabilityRequest | JobID:string JobVersion:uint64 Stable:bool
JobEvaluateRequest | JobID:string EvalOptions:EvalOptions
EvalOptions | ForceReschedule:bool
ScalingRequest | Count:int64 Target:map Message:string Error:bool Meta:map PolicyOverride:bool JobModifyIndex:uint64
NeutralScalingRequest | Count:int64 Target:map Message:string Error:any Meta:map PolicyOverride:bool JobModifyIndex:uint64
Job | Region:string Namespace:string ID:string Name:string Type:string Priority:int AllAtOnce:bool Datacenters:[]string NodePool:string Constraints:[]Constraint Affinities:[]Affinity TaskGroups:[]TaskGroup Update:UpdateStrategy Multiregion:any Spreads:[]Spread Periodic:PeriodicConfig ParameterizedJob:ParameterizedJobConfig Reschedule:ReschedulePolicy Migrate:MigrateStrategy Meta:map ConsulToken:string VaultToken:string UI:any Stop:bool ParentID:string Dispatched:bool DispatchIdempotencyToken:string Payload:any ConsulNamespace:string VaultNamespace:string NomadTokenID:string Status:string StatusDescription:string Stable:bool Version:uint64 SubmitTime:int64 CreateIndex:uint64 ModifyIndex:uint64 JobModifyIndex:uint64 VersionTag:any
Constraint | LTarget:string RTarget:string Operand:string
Affinity | LTarget:string RTarget:string Operand:string Weight:int8
Spread | Attribute:string Weight:int8 SpreadTarget:any
PeriodicConfig | Enabled:bool Spec:string Specs:[]string SpecType:string ProhibitOverlap:bool TimeZone:string
ParameterizedJobConfig | Payload:string MetaRequired:[]string MetaOptional:[]string
UpdateStrategy | Stagger:duration MaxParallel:int HealthCheck:string MinHealthyTime:duration HealthyDeadline:duration ProgressDeadline:duration Canary:int AutoRevert:bool AutoPromote:bool
ReschedulePolicy | Attempts:int Interval:duration Delay:duration DelayFunction:string MaxDelay:duration Unlimited:bool
MigrateStrategy | MaxParallel:int HealthCheck:string MinHealthyTime:duration HealthyDeadline:duration
RestartPolicy | Attempts:int Interval:duration Delay:duration Mode:string RenderTemplates:bool
TaskGroup | Name:string Count:int Constraints:[]Constraint Affinities:[]Affinity Tasks:[]Task Spreads:[]Spread Volumes:any RestartPolicy:RestartPolicy Disconnect:any ReschedulePolicy:ReschedulePolicy EphemeralDisk:EphemeralDisk Update:UpdateStrategy Migrate:MigrateStrategy Networks:[]NetworkResource Meta:map Services:[]Service ShutdownDelay:duration StopAfterClientDisconnect:duration MaxClientDisconnect:duration MaxRunDuration:duration PreventRescheduleOnLost:bool Scaling:ScalingPolicy Consul:any
EphemeralDisk | Sticky:bool Migrate:bool SizeMB:int
ScalingPolicy | ID:string Namespace:string Type:string Target:map Min:int64 Max:int64 Policy:map Enabled:bool CreateIndex:uint64 ModifyIndex:uint64
NetworkResource | Mode:string Device:string CIDR:string IP:string DNS:any ReservedPorts:[]Port DynamicPorts:[]Port Hostname:string MBits:int CNI:any
Port | Label:string Value:int To:int HostNetwork:string IgnoreCollision:bool
Service | ID:string Name:string Tags:[]string CanaryTags:[]string EnableTagOverride:bool PortLabel:string AddressMode:string Address:string Checks:[]ServiceCheck CheckRestart:any Connect:any Meta:map CanaryMeta:map TaggedAddresses:map TaskName:string OnUpdate:string Provider:string Identity:any Cluster:string Kind:string Weights:any Namespace:string
ServiceCheck | ID:string Name:string Type:string Command:string Args:[]string Path:string Protocol:string PortLabel:string Expose:bool AddressMode:string Interval:duration Timeout:duration InitialStatus:string Notes:string TLSServerName:string TLSSkipVerify:bool Header:map Method:string CheckRestart:any GRPCService:string GRPCUseTLS:bool TaskName:string SuccessBeforePassing:int FailuresBeforeCritical:int FailuresBeforeWarning:int Body:string OnUpdate:string
Task | Name:string Driver:string User:string Lifecycle:TaskLifecycle Config:map Constraints:[]Constraint Affinities:[]Affinity Env:map Services:[]Service Resources:Resources RestartPolicy:RestartPolicy Meta:map KillTimeout:duration LogConfig:LogConfig Artifacts:any Vault:any Consul:any Templates:any DispatchPayload:DispatchPayloadConfig VolumeMounts:any CSIPluginConfig:any Leader:bool ShutdownDelay:duration KillSignal:string Kind:string ScalingPolicies:any Identity:any Identities:any Actions:[]Action Schedule:any Secrets:any
TaskLifecycle | Hook:string Sidecar:bool
DispatchPayloadConfig | File:string
LogConfig | MaxFiles:int MaxFileSizeMB:int Enabled:bool Disabled:bool
Resources | CPU:int Cores:int MemoryMB:int MemoryMaxMB:int DiskMB:int Networks:[]NetworkResource Devices:any NUMA:any SecretsMB:int IOPS:int
Action | Name:string Command:string Args:[]string
`

export interface FieldType {
  readonly name: string
  readonly type: string
}

/** The fields of each type, by lower-case name. */
export const requestTypes: ReadonlyMap<string, ReadonlyMap<string, FieldType>> = new Map(
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name, fields] = line.split(' | ') as [string, string]
      const entries = fields.split(' ').map((field): [string, FieldType] => {
        const at = field.indexOf(':')
        return [field.slice(0, at).toLowerCase(), { name: field.slice(0, at), type: field.slice(at + 1) }]
      })
      return [name, new Map(entries)]
    }),
)
