import type { LinkSettings, ModbusPolling } from '@thingwright/contracts/links.contract'

/** Link types whose devices open a TCP connection to us. */
export const TCP_LINKS: ReadonlySet<string> = new Set(['tcp', 'modbus_rtu', 'modbus_tcp'])
/** Link types that have settings of this kind. */
export const RAW_LINKS: ReadonlySet<string> = new Set([...TCP_LINKS, 'udp'])

export const DEFAULT_POLLING: ModbusPolling = {
  cycleSeconds: 10,
  slave: 1,
  timeoutMs: 3_000,
  retries: 2,
  maxGap: 8,
  pauseMs: 0,
}

/** Formats whose frames are text: they end with the line unless the product says otherwise. */
const TEXT_FORMATS: ReadonlySet<unknown> = new Set(['json', 'label'])
/** A JSON value is whole when it is closed: only one that was cut off is ended by silence. */
const JSON_GAP_MS = 1_000

/**
 * The settings in force: what is stored over the defaults. A frame of JSON is one object or list, however it is laid out;
 * frames of labels end with LF (a CR before it goes too) or after a short silence; those of other formats are what
 * arrives together.
 * @param stored `products.link`, as the API took it
 * @param formatKind `kind` of the product's format
 */
export function linkSettings(stored: Readonly<Record<string, unknown>>, formatKind: unknown): LinkSettings {
  const given = stored as Partial<LinkSettings>
  return {
    register: given.register ?? { kind: 'line' },
    heartbeat: given.heartbeat ?? null,
    framing: given.framing ?? framingOf(formatKind),
    idleGapMs: given.idleGapMs === undefined ? gapOf(given.framing?.kind, formatKind) : given.idleGapMs,
    maxFrameBytes: given.maxFrameBytes ?? 8_192,
    port: given.port ?? { mode: 'shared' },
    modbus: { ...DEFAULT_POLLING, ...given.modbus },
  }
}

function framingOf(formatKind: unknown): LinkSettings['framing'] {
  if (formatKind === 'json') return { kind: 'json' }
  return TEXT_FORMATS.has(formatKind)
    ? { kind: 'delimiter', delimiter: { encoding: 'text', value: '\\n' } }
    : { kind: 'none' }
}

function gapOf(framing: LinkSettings['framing']['kind'] | undefined, formatKind: unknown): number {
  if (framing === 'json' || (framing === undefined && formatKind === 'json')) return JSON_GAP_MS
  return TEXT_FORMATS.has(formatKind) ? 300 : 50
}
