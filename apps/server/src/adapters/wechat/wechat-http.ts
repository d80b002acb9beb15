import { createOutbound, OutboundError } from '../../lib/outbound/outbound.ts'
import { WechatError, type WechatHttp } from '../../modules/apps/wechat.port.ts'

/** Where the simulated WeChat of the demo company listens; nobody but the demo makes an account of that kind. */
const SIMULATED = ['127.0.0.1/32']

/** WeChat's HTTPS interface: JSON, and `errcode` in an answer of 200 for what it refuses. */
export function createWechatHttp(options: { allow: readonly string[]; timeoutMs?: number }): WechatHttp {
  const { timeoutMs = 10_000 } = options
  const real = createOutbound({ allow: options.allow, timeoutMs })
  const near = createOutbound({ allow: SIMULATED, timeoutMs })

  async function get(base: string, simulated: boolean, path: string, body?: object) {
    try {
      const answer = await (simulated ? near : real).fetch(`${base.replace(/\/$/, '')}${path}`, {
        method: body ? 'POST' : 'GET',
        ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
      })
      return {
        status: answer.status,
        type: answer.headers.get('content-type') ?? '',
        bytes: Buffer.from(await answer.arrayBuffer()),
      }
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new WechatError(null, error.message)
    }
  }

  function read({ status, bytes }: { status: number; bytes: Buffer }): Record<string, unknown> {
    let value: unknown
    try {
      value = JSON.parse(bytes.toString('utf8'))
    } catch {
      throw new WechatError(null, `HTTP ${status}`)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new WechatError(null, `HTTP ${status}`)
    const answer = value as Record<string, unknown>
    const code = Number(answer.errcode ?? 0)
    if (code !== 0) throw new WechatError(code, String(answer.errmsg ?? '').slice(0, 300))
    if (status !== 200) throw new WechatError(null, `HTTP ${status}`)
    return answer
  }

  return {
    ask: async (base, simulated, path, body) => read(await get(base, simulated, path, body)),
    async picture(base, simulated, path) {
      const answer = await get(base, simulated, path)
      if (answer.status === 200 && /^image\/(?:jpeg|png)/.test(answer.type))
        return { type: answer.type.split(';')[0]!, bytes: answer.bytes }
      read(answer)
      throw new WechatError(null, `${answer.type} is no picture`)
    },
  }
}
