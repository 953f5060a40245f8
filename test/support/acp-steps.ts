import type { PermissionOptionKind, StopReason, ToolKind } from '@agentclientprotocol/sdk';

/** One thing that the scripted agent does with a prompt. */
export interface AcpStep {
  readonly do:
    | 'say'
    | 'tool'
    | 'plan'
    /** Through the service. */
    | 'write'
    | 'read'
    | 'ask'
    /** Past the service. */
    | 'write itself'
    | 'link'
    | 'hard link'
    | 'stop'
    | 'fail'
    | 'exit'
    | 'hang'
    | 'junk'
    /** Writes without end, and no line. */
    | 'spill'
    /** Asks for a terminal. */
    | 'terminal'
    /** Runs on, whatever it is asked. */
    | 'stay'
    /** Starts another program, which does the same: `kind` is `child`, `session` or `orphan`. */
    | 'start'
    | 'environment'
    | 'heard'
    | 'obey';
  readonly path?: string;
  readonly text?: string;
  readonly id?: string;
  readonly kind?: ToolKind | 'child' | 'session' | 'orphan';
  readonly input?: unknown;
  readonly options?: readonly PermissionOptionKind[];
  readonly reason?: StopReason;
  readonly code?: number;
}

export interface AcpScript {
  readonly steps?: readonly AcpStep[];
  /** Ends at once, with this on standard error. */
  readonly ends?: string;
  /** Ends at once when it is given this argument. */
  readonly refuses?: string;
  /** Never answers. */
  readonly mute?: boolean;
  readonly protocol?: number;
  readonly lasting?: 'load' | 'resume';
  readonly forgets?: boolean;
  /** Nobody is signed in; `key`: a key is enough. */
  readonly signIn?: 'person' | 'key';
  readonly model?: string;
  /** The mode that it stands in; it also has `default`. */
  readonly mode?: string;
}
