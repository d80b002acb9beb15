import { Button } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body, Reply } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from './format.module.css'
import type { FormatBody } from './format-draft.ts'

const SampleDrawer = lazy(async () => ({ default: (await import('./sample-drawer.tsx')).SampleDrawer }))

export type Sample = Body<'formats.setSamples'>['items'][number]
type Result = Reply<'formats.runSamples'>['results'][number]

/** Frames kept with the product and what must become of them; they are run whenever the format is saved. */
export function Samples({
  productId,
  format,
  dirty,
  adding,
  onAdded,
}: {
  productId: string
  format: FormatBody
  dirty: boolean
  /** A sample to be named and kept, from the tester. */
  adding: Sample | null
  onAdded: () => void
}) {
  const { t } = useTranslation('payload-format')
  const cache = useCache()
  const mayWrite = useMay('formats.setSamples')
  const samples = useRead('formats.samples', { params: { id: productId } })
  const items = useMemo(() => samples.data?.items ?? [], [samples.data])
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const [open, setOpen] = useState<{ sample: Sample; at: number | null } | null>(null)
  const taken = (list: readonly Result[]) => setResults(new Map(list.map(result => [result.name, result])))
  const run = useAct('formats.runSamples', {
    own: false,
    done: ({ results: list }) => {
      taken(list)
      const failed = list.filter(result => !result.ok).length
      if (failed === 0) notify.success(t('samples.allPass', { count: list.length }))
      else notify.warning(t('samples.someFail', { count: failed }))
    },
  })
  const params = { id: productId }
  const save = useAct('formats.setSamples', {
    done: saved => {
      cache.put('formats.samples', { params }, { items: saved.items })
      taken(saved.results)
    },
  })
  const columns = useMemo<ListColumn<Sample>[]>(
    () => [
      { key: 'name', title: t('samples.name'), width: 200, render: sample => sample.name },
      { key: 'direction', title: t('direction'), width: 88, rank: 1, render: sample => t(sample.direction) },
      {
        key: 'payload',
        title: t('payload'),
        minWidth: 200,
        rank: 2,
        render: sample => (
          <code style={{ fontSize: 12 }} title={sample.payload}>
            {sample.direction === 'down' && sample.command
              ? JSON.stringify(sample.command.params).slice(0, 120)
              : sample.payload.slice(0, 120)}
          </code>
        ),
      },
      {
        key: 'result',
        title: t('samples.result'),
        width: 260,
        render: sample => {
          const result = results.get(sample.name)
          if (!result) return <span className={css.quiet}>{t('samples.notRun')}</span>
          return (
            <span title={result.problems.join('\n')}>
              <StatusTag kind={result.ok ? 'success' : 'error'}>
                {result.ok ? t('samples.passes') : (result.problems[0] ?? t('samples.fails'))}
              </StatusTag>
            </span>
          )
        },
      },
    ],
    [t, results],
  )
  const shown = adding ? { sample: adding, at: null } : open
  return (
    <Panel
      title={t('samples.title')}
      hint={t('samples.hint')}
      flush
      actions={
        <>
          {mayWrite && (
            <Button
              onClick={() => setOpen({ sample: { name: '', direction: 'up', encoding: 'hex', payload: '' }, at: null })}
            >
              {t('samples.add')}
            </Button>
          )}
          <Button
            disabled={items.length === 0}
            loading={run.pending}
            onClick={() => void run.run({ params: { id: productId }, body: dirty ? { format } : {} })}
          >
            {t('samples.run')}
          </Button>
        </>
      }
    >
      {samples.isError && !samples.data ? (
        <ErrorState error={samples.error} onRetry={() => void samples.refetch()} />
      ) : samples.data && items.length === 0 ? (
        <EmptyState title={t('samples.empty')} description={t('samples.emptyText')} />
      ) : (
        <DataTable
          label={t('samples.title')}
          columns={columns}
          rows={items}
          rowKey={sample => sample.name}
          density="dense"
          skeleton={samples.isPending ? 3 : 0}
          actionsWidth={locale() === 'en' ? 152 : 120}
          actions={sample =>
            mayWrite
              ? [
                  { key: 'edit', label: t('edit'), onClick: () => setOpen({ sample, at: items.indexOf(sample) }) },
                  {
                    key: 'remove',
                    label: t('remove'),
                    danger: true,
                    onClick: () => void save.run({ params, body: { items: items.filter(other => other !== sample) } }),
                  },
                ]
              : []
          }
        />
      )}
      <Suspense>
        {shown && (
          <SampleDrawer
            sample={shown.sample}
            taken={items.filter((_, at) => at !== shown.at).map(item => item.name)}
            onSave={async sample => {
              const next =
                shown.at === null ? [...items, sample] : items.map((old, at) => (at === shown.at ? sample : old))
              await save.send({ params, body: { items: next } })
              setOpen(null)
              onAdded()
            }}
            onClose={() => {
              setOpen(null)
              onAdded()
            }}
          />
        )}
      </Suspense>
    </Panel>
  )
}
