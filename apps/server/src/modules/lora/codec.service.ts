import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { loraCodecContract } from '@thingwright/contracts/lora-devices.contract'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import type { RunScript } from './codec.port.ts'

type Contract = typeof loraCodecContract

export interface CodecService {
  /** Runs a codec in our sandbox: nothing is stored, and nothing is sent. */
  try(ctx: Ctx, input: BodyOf<Contract['try']>): Promise<ResponseOf<Contract['try']>>
}

const NOTHING = { data: null, hex: null, port: null, error: null, line: null, logs: [] as string[] }

export function createCodecService({ runScript }: { runScript: RunScript }): CodecService {
  return {
    async try(ctx, { script, direction, hex = '', object = {}, port }) {
      const startedAt = performance.now()
      const common = { deviceNo: 'trial', variables: {}, logs: true, ...(port === undefined ? {} : { port }) }
      const outcome = await runScript(
        script,
        direction === 'up'
          ? { ...common, kind: 'up', hex: hex.replaceAll(/\s/g, ''), at: ctx.now }
          : {
              ...common,
              kind: 'down',
              command: { id: newId(ctx.now), kind: 'property_set', identifier: null, params: object },
            },
      )
      const tookMs = Math.round((performance.now() - startedAt) * 10) / 10
      const logs = outcome.logs ?? []
      if (!outcome.ok)
        return {
          ...NOTHING,
          ok: false,
          error: outcome.detail,
          reason: outcome.reason,
          line: outcome.line,
          logs,
          tookMs,
        }
      const [frame] = outcome.frames ?? []
      const bytes = frame === undefined ? null : 'text' in frame ? Buffer.from(frame.text) : Buffer.from(frame.bytes)
      return {
        ...NOTHING,
        ok: true,
        reason: null,
        data: direction === 'up' ? (outcome.result ?? null) : null,
        hex: bytes?.toString('hex') ?? null,
        port: outcome.port ?? null,
        logs,
        tookMs,
      }
    },
  }
}
