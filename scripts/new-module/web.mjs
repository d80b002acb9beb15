// Files of a new module in the console: a page with a list, its texts, a test of it.

/** @param n as of names.mjs */
export function webFiles(n) {
  const { name, plural, Plural, Singular, words, Words, path } = n
  const folder = `apps/web/src/features/${name}`
  const texts = (title, lead, search, column, created, none, noneText) =>
    `${JSON.stringify({ title, lead, search, name: column, createdAt: created, emptyTitle: none, emptyText: noneText }, null, 2)}\n`
  return {
    [`${folder}/index.ts`]: `import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '${path}': async () => ({ Component: (await import('./${name}-page.tsx')).${Plural}Page }),
  },
}
`,
    [`${folder}/hooks.ts`]: `import type { ${Singular}View } from '@thingwright/contracts/${name}.contract'
import { call } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetch${Plural}: FetchPage<${Singular}View> = ({ filters: _, ...input }, signal) =>
  call('${plural}.list', { query: input, signal })
`,
    [`${folder}/${name}-page.tsx`]: `import type { ${Singular}View } from '@thingwright/contracts/${name}.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { fetch${Plural} } from './hooks.ts'

const keyOf = (row: ${Singular}View) => row.id
const NO_FILTERS: readonly ListFilter[] = []

export function ${Plural}Page() {
  const { t } = useTranslation('${name}')
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<${Singular}View>[]>(
    () => [
      { key: 'name', title: t('name'), minWidth: 200, required: true, render: row => row.name, csv: row => row.name },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t],
  )
  return (
    <ListPage
      id="${name}"
      operation="${plural}.list"
      fetchPage={fetch${Plural}}
      rowKey={keyOf}
      columns={columns}
      filters={NO_FILTERS}
      state={state}
      searchPlaceholder={t('search')}
      title={t('title')}
      description={t('lead')}
      empty={{ title: t('emptyTitle'), description: t('emptyText') }}
      exportName="${name}"
    />
  )
}
`,
    [`${folder}/locales/zh.json`]: texts(
      words,
      `公司的 ${words}。`,
      '按名称搜索',
      '名称',
      '创建时间',
      `还没有 ${words}`,
      `添加后显示在这里。`,
    ),
    [`${folder}/locales/en.json`]: texts(
      Words,
      `${Words} of the company.`,
      'Search by name',
      'Name',
      'Created',
      `No ${words} yet`,
      'Those that are added are shown here.',
    ),
    [`apps/web/src/app/${name}-page.test.tsx`]: `// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/${name}'
const row = { id: '1', name: 'North', version: 1, createdAt: '2026-01-01T00:00:00.000Z' }

describe('the page of ${words}', () => {
  it('shows what there is', async () => {
    const opened = await openConsole('${path}', { ...company, [LIST]: () => page([row]) })
    await expect.poll(opened.text).toContain('North')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('${path}', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No ${words} yet')
    const forbidden = await openConsole('${path}', { ...company, [LIST]: () => page([row]) }, ['product:read'])
    await expect.poll(forbidden.text).toContain('device:read')
    expect(forbidden.requests.filter(request => request.includes('/${name}'))).toEqual([])
  })
})
`,
  }
}
