import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/code-blocks.mjs')

// The gate over code that people copy can fail, and says where.
describe('code that people copy', () => {
  let folder: string
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-blocks-'))
    write('README.md', '```sh\ncurl a\n```\nor `curl b` and `name`\n\n   ```\n   curl c\n   ```\n')
    write(
      'docs/guide.md',
      '```js\nrun()\n```\n```\ndrawing\n```\n```sh run=e2e/guide.e2e.ts\nnpm ci\n```\n```sh run=e2e/none.e2e.ts\nnpm t\n```\n```text shown=\n----\n```\n```text shown=a drawing\n====\n```\n',
    )
    write('node_modules/other/README.md', '```sh\ncurl z\n```\n')
    write('e2e/guide.e2e.ts', "codeOf('docs/guide.md')\n")
    for (const name of ['known', 'more', 'new']) write(`apps/web/src/${name}.tsx`, '<CodeBox /><Pretty /><pre>')
    write(
      'docs/code-blocks.json',
      JSON.stringify({
        documents: {
          'README.md': [
            { begins: 'curl a', run: 'e2e/guide.e2e.ts' },
            { begins: 'curl d', shown: 'gone' },
          ],
          'docs/guide.md': [{ begins: 'run', run: 'e2e/guide.e2e.ts' }, { begins: 'drawing' }],
        },
        console: {
          'known.tsx': { boxes: 2, shown: 'a reason' },
          'more.tsx': { boxes: 1, shown: 'a reason' },
          'gone.tsx': { boxes: 1, run: 'e2e/none.e2e.ts' },
        },
      }),
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is run by a test or has a reason why not', () => {
    const run = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    expect(run.status).toBe(1)
    expect(run.stdout.trim().split('\n').sort()).toEqual([
      'README.md: "curl a": e2e/guide.e2e.ts does not name README',
      'README.md: no test runs "   curl c"',
      'README.md: no test runs "curl b"',
      'README.md: nothing begins with "curl d"',
      'apps/web/src/gone.tsx: has no box of code',
      'apps/web/src/more.tsx: 2 boxes of code, 1 in the table',
      'apps/web/src/new.tsx: no test runs what its 2 boxes of code show',
      'docs/guide.md: "----": without a reason',
      'docs/guide.md: "drawing": either "run" or "shown"',
      'docs/guide.md: "npm t": e2e/none.e2e.ts does not exist',
    ])
  })
})
