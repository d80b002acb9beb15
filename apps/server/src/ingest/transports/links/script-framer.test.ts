import { afterAll, expect, it } from 'vitest'
import type { CutKind } from '../../../lib/links/framer.ts'
import { silentLogger } from '../../../lib/log.ts'
import { ScriptPool } from '../../codecs/script/script-pool.ts'
import { framingTools, ScriptFramer } from './script-framer.ts'

const runner = new ScriptPool({ logger: silentLogger, size: 1 })
afterAll(() => runner.stop())

/** One byte of length, then so many bytes; a zero byte is noise. */
const SOURCE = `function frame(bytes) {
  if (bytes[0] === 0) return -1
  return 1 + bytes[0]
}`

function framer(source: string, over: { heartbeat?: Buffer; maxFrameBytes?: number } = {}) {
  const seen: [CutKind, string][] = []
  const failures: string[] = []
  const one = new ScriptFramer({
    source,
    runner,
    heartbeat: over.heartbeat ?? null,
    maxFrameBytes: over.maxFrameBytes ?? 64,
    onCut: (kind, bytes) => void seen.push([kind, bytes.toString('latin1')]),
    onFailure: detail => void failures.push(detail),
    onFull: () => undefined,
  })
  return { one, seen, failures }
}

it('a script says where frames end, however the stream is cut', async () => {
  const { one, seen } = framer(SOURCE, { heartbeat: Buffer.from('PING') })
  for (const piece of ['PI', 'NG\x02a', 'b\0\x01c\x03x', 'yz']) one.push(Buffer.from(piece, 'latin1'))
  await expect
    .poll(() => seen)
    .toEqual([
      ['heartbeat', 'PING'],
      ['frame', '\x02ab'],
      ['frame', '\x01c'],
      ['frame', '\x03xyz'],
    ])
  one.close()
})

it('silence ends what is not whole; what came before the end of the connection is still cut', async () => {
  const { one, seen } = framer(SOURCE)
  one.push(Buffer.from('\x02ab\x03x', 'latin1'))
  one.flush()
  await expect
    .poll(() => seen)
    .toEqual([
      ['frame', '\x02ab'],
      ['incomplete', '\x03x'],
    ])
  one.push(Buffer.from('\x01z', 'latin1'))
  one.close()
  await expect.poll(() => seen.at(-1)).toEqual(['frame', '\x01z'])
})

it('an endless or broken script costs its bytes and nothing else', async () => {
  const endless = framer('function frame() { for (;;); }')
  endless.one.push(Buffer.from('ab'))
  await expect.poll(() => endless.failures).toHaveLength(1)
  expect(endless.one.pending).toBe(0)
  endless.one.close()
  const broken = framer('function frame(bytes) {\n  return bytes.nothing.here\n}')
  broken.one.push(Buffer.from('ab'))
  await expect.poll(() => broken.failures[0]).toMatch(/^line 2: TypeError/)
  broken.one.close()
})

it('the console checks and tries scripts the same way', async () => {
  const tools = framingTools(runner)
  expect(await tools.check(SOURCE)).toBeNull()
  expect(await tools.check('function other() {}')).toContain('no function frame')
  expect(await tools.check('function frame( {')).toContain('SyntaxError')
  const cuts = await tools.cut(SOURCE, Buffer.from('\x02ab\0\x01c\x05x', 'latin1'), 64)
  expect(cuts.map(({ kind, bytes }) => [kind, bytes.toString('latin1')])).toEqual([
    ['frame', '\x02ab'],
    ['frame', '\x01c'],
    ['incomplete', '\x05x'],
  ])
})
