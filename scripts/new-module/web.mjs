// Files of a new module in the console: a page with a list, its texts, a test of it.

/** @param n as of names.mjs */
export function webFiles(n) {
  const { name, plural, Plural, Singular, words, Words, zh, path, detail, right, children } = n
  const [child] = children
  const folder = `apps/web/src/features/${name}`
  const nameCell = detail ? `<Link to={\`${detail}?id=\${row.id}\`}>{row.name}</Link>` : 'row.name'
  const texts = (title, lead, search, column, created, none, noneText) =>
    `${JSON.stringify({ title, lead, search, name: column, createdAt: created, emptyTitle: none, emptyText: noneText, ...(detail && child ? { none } : {}) }, null, 2)}\n`
  return {
    [`${folder}/index.ts`]: `import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '${path}': async () => ({ Component: (await import('./${name}-page.tsx')).${Plural}Page }),
${detail ? `    '${detail}': async () => ({ Component: (await import('./${name}-detail-page.tsx')).${Singular}DetailPage }),\n` : ''}  },
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
${detail ? "import { Link } from 'react-router'\n" : ''}import { formatDateTime } from '../../lib/format.ts'
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
      { key: 'name', title: t('name'), minWidth: 200, required: true, render: row => ${nameCell}, csv: row => row.name },
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
    ...(detail ? { [`${folder}/${name}-detail-page.tsx`]: detailPage(n, child) } : {}),
    [`${folder}/locales/zh.json`]: texts(
      zh,
      `企业的${zh}。`,
      '按名称搜索',
      '名称',
      '创建时间',
      `还没有${zh}`,
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
    await expect.poll(forbidden.text).toContain('${right}:read')
    expect(forbidden.requests.filter(request => request.includes('/${name}'))).toEqual([])
  })
${
  detail
    ? `
  it('shows one of them', async () => {
    const opened = await openConsole('${detail}?id=1', { ...company, 'GET /api/v1/${name}/1': () => row${child ? `, 'GET /api/v1/${name}/1/${child.plural}': () => ({ items: [{ id: '2', text: 'Oiled', createdAt: row.createdAt }] })` : ''} })
    await expect.poll(opened.text).toContain('${child ? 'Oiled' : 'North'}')
  })
`
    : ''
}})
`,
  }
}

/** The page of one of them, and what belongs to it. */
function detailPage({ name, plural, Singular, path }, child) {
  const list = child
    ? `{${child.plural}.isError ? (
          <ErrorState error={${child.plural}.error} onRetry={() => void ${child.plural}.refetch()} />
        ) : ${child.plural}.data?.items.length === 0 ? (
          <EmptyState title={t('none')} />
        ) : (
          <ul>
            {${child.plural}.data?.items.map(item => (
              <li key={item.id} dir="auto">
                {item.text} <TimeText value={item.createdAt} />
              </li>
            ))}
          </ul>
        )}`
    : '<TimeText value={one.data?.createdAt ?? null} />'
  return `import { Spin } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ${child ? 'EmptyState, ' : ''}ErrorState } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time-text.tsx'

export function ${Singular}DetailPage() {
  const { t } = useTranslation('${name}')
  const [query] = useSearchParams()
  const id = query.get('id') ?? ''
  const one = useRead('${plural}.get', { params: { id } }, { enabled: id !== '' })
${child ? `  const ${child.plural} = useRead('${plural}.list${child.Plural}', { params: { id } }, { enabled: id !== '' })\n` : ''}  const crumbs = [{ title: t('title'), to: '${path}' }, { title: one.data?.name ?? '' }]
  if (one.isError) return <ErrorState error={one.error} onRetry={() => void one.refetch()} />
  return (
    <>
      <PageHeader title={one.data?.name ?? ''} crumbs={crumbs} />
      <Spin spinning={one.isLoading}>
        <Panel>
          ${list}
        </Panel>
      </Spin>
    </>
  )
}
`
}
