import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
let folder: string
let child: ChildProcess
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tw-by-hand-'))
  writeFileSync(join(folder, 'turns.json'), '[{"text":"yes"}]')
})
afterEach(() => child.kill('SIGKILL'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The command lines of a document that start a simulator; the short forms of one line with its folder. */
function commandsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const lines = [...text.matchAll(/`(npx tsx tools\/simulators\/[^`]+|…\/\w+\/main\.ts)`/g)].map(([, line]) => line!)
  return lines.map(line => line.replace(/^…/, 'npx tsx tools/simulators'))
}

// Simulators that documents tell people to start by hand, each as it stands there, on a port of the system's choosing.
const DOCUMENTS = [
  'docs/assistant-models.md',
  'docs/data-subscriptions.md',
  'docs/notifications.md',
  'tools/simulators/llm/README.md',
  'tools/simulators/s3/README.md',
]
it.each(DOCUMENTS.flatMap(file => commandsOf(file).map(line => [file, line] as const)))(
  '%s: %s starts and says what the server needs',
  async (_, line) => {
    const words = `${line.replace(/^npx tsx /, '').replace('turns.json', join(folder, 'turns.json'))} --port 0`
    child = spawn(process.execPath, ['--import', 'tsx', ...words.split(' ')], { cwd: root })
    let said = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', data => {
        said += data
      })
    await expect.poll(() => said, { timeout: 60_000 }).toMatch(/^\S*127\.0\.0\.1:[1-9]\d*/)
  },
  120_000,
)

it('the documents name them', () => {
  expect(DOCUMENTS.map(file => commandsOf(file).length)).toEqual([1, 3, 1, 1, 1])
})
