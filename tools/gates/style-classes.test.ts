import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/style-classes.mjs')

// The gate over the style modules can fail, and says where.
describe('style classes', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-styles-'))
    mkdirSync(join(folder, 'cards'))
    writeFileSync(
      join(folder, 'page.module.css'),
      '/* .not-here */\n.head,\n.foot:not(.gone) { margin: 0.5em }\n.head > :global(.ant-tag) { top: 0 }\n@media print { .paper { top: 0 } }\n',
    )
    writeFileSync(join(folder, 'cards/open.module.css'), '.one { top: 0 }\n.two { top: 0 }\n')
    writeFileSync(
      join(folder, 'cards/card.tsx'),
      "import css from '../page.module.css'\nimport open from './open.module.css'\nexport const Card = () => <p className={css.head + css.missing + open[name]} />\n",
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('names what is used without a rule and what has a rule without a use', () => {
    const run = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    expect(run.status).toBe(1)
    expect(run.stdout.trim().split('\n').sort()).toEqual([
      'cards/card.tsx: css.missing has no rule in ../page.module.css',
      'page.module.css: .foot is not used',
      'page.module.css: .gone is not used',
      'page.module.css: .paper is not used',
    ])
  })
})
