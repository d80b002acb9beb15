import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atMost, type Bench } from '../core/bench.ts'

const ROOT = join(import.meta.dirname, '../../..')
const MAIN = 'apps/server/src/ingest/codecs/testing/formats-bench-main.ts'
const SECONDS = { S: 2, M: 10 }

interface Measured {
  seconds: number
  sync: { name: string; decode: number; checked: number; bytes: number }[]
  sandbox: { engineMs: number; firstFrameMs: number; framesPerCpuSecond: number }
  scenes: { name: string; framesPerSecond: number[]; lag: { p50: number; p99: number; max: number } }[]
  counters: Record<string, number>
}

const round = (ms: number) => Math.round(ms * 10) / 10

/** Frames per second and core of every format, and what scripts do to the process that hands them their frames. */
export const formats: Bench = {
  name: 'formats',
  summary: 'frames per second and core of each format; lag of the main loop while scripts run',
  async run({ size }) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(ROOT, MAIN), String(SECONDS[size])],
      { cwd: ROOT, maxBuffer: 2 ** 20 },
    )
    const measured = JSON.parse(stdout) as Measured
    const { sync, sandbox, scenes } = measured
    const idle = scenes[0]!.lag.p99
    const worst = Math.max(...scenes.slice(1).map(scene => scene.lag.p99))
    return {
      tables: [
        {
          title: 'Frames per second of processor time of one core',
          head: ['format', 'bytes', 'decoded', 'decoded and checked'],
          rows: [
            ...sync.map(row => [row.name, row.bytes, row.decode || null, row.checked]),
            ['script in its sandbox, 2 values', 6, sandbox.framesPerCpuSecond, null],
          ],
        },
        {
          title: 'Scripts in two threads: frames per second, and lag of the main loop in ms',
          head: ['scene', 'frames/s by script', 'p50', 'p99', 'max'],
          rows: scenes.map(({ name, framesPerSecond, lag }) => [
            name,
            framesPerSecond.join(' + ') || null,
            lag.p50,
            lag.p99,
            lag.max,
          ]),
        },
      ],
      goals: [atMost('p99 of the main loop’s lag while scripts run', worst, 25, 'ms')],
      notes: [
        `The sandbox starts in ${round(sandbox.engineMs)} ms; a script's first frame takes ${round(sandbox.firstFrameMs)} ms.`,
        `The timer's own resolution is in the lag: p99 with nothing running is ${idle} ms.`,
        'Refused frames count as frames of their script: a script that rests is refused at once.',
      ],
      versions: {},
      data: { ...measured },
    }
  },
}
