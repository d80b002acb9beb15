import type { DeadLetter, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Button, Drawer, Modal } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { MonoBox } from '../mono-box.tsx'
import css from '../subscriptions.module.css'
import { reasonText } from '../words.ts'
import { ExportButton } from './export-button.tsx'

const PAGE = 50
/** Ids of one request. */
const AT_ONCE = 1000

interface Asked {
  what: 'replay' | 'remove'
  /** null: all of them. */
  ids: string[] | null
}

/** What could not be delivered: read, sent once more, or thrown away. */
export function DeadTab({ view }: { view: SubscriptionView }) {
  const { t } = useTranslation('subscriptions')
  const mayWrite = useMay('subscriptions.replayDeadLetters')
  const [selected, setSelected] = useState<ReadonlyMap<string, DeadLetter>>(new Map())
  const [asked, setAsked] = useState<Asked | null>(null)
  const [shown, setShown] = useState<DeadLetter | null>(null)
  const dead = usePages('subscriptions.deadLetters', { params: { id: view.id }, query: { limit: PAGE } })
  // The count of the head tells when there is something new to read.
  const { refetch } = dead
  const count = view.deadLetters
  useEffect(() => {
    void refetch()
  }, [count, refetch])
  const rows = useMemo(() => (dead.data?.pages ?? []).flatMap(page => page.items), [dead.data])
  const columns = useMemo<ListColumn<DeadLetter>[]>(
    () => [
      {
        key: 'at',
        title: t('givenUp'),
        width: 176,
        render: row => <span className={css.number}>{formatDateTime(row.at)}</span>,
        csv: row => formatDateTime(row.at),
      },
      {
        key: 'type',
        title: t('kinds'),
        width: 104,
        render: row => t(`kind.${row.item.type}`),
        csv: row => row.item.type,
      },
      {
        key: 'device',
        title: t('device'),
        width: 176,
        render: row => (
          <code className={css.mono} title={`${row.item.productKey}/${row.item.deviceNo}`}>
            {row.item.deviceNo}
          </code>
        ),
        csv: row => `${row.item.productKey}/${row.item.deviceNo}`,
      },
      {
        key: 'data',
        title: t('content'),
        minWidth: 200,
        rank: 1,
        render: row => (
          <code className={css.mono} title={JSON.stringify(row.item.data)}>
            {JSON.stringify(row.item.data).slice(0, 200)}
          </code>
        ),
        csv: row => JSON.stringify(row.item.data),
      },
      {
        key: 'why',
        title: t('why'),
        minWidth: 144,
        render: row => {
          const words = [reasonText(row.reason, t), row.status].filter(Boolean).join(' · ')
          return <span title={words}>{words}</span>
        },
        csv: row => [row.reason, row.status].filter(Boolean).join(' '),
      },
      {
        key: 'attempts',
        title: t('attempts'),
        width: 80,
        rank: 2,
        align: 'right',
        render: row => formatNumber(row.attempts),
        csv: row => row.attempts,
      },
    ],
    [t],
  )
  const ids = [...selected.keys()].slice(0, AT_ONCE)
  const none = rows.length === 0
  return (
    <Panel
      title={t('tabs.dead')}
      hint={t('deadHint')}
      flush
      actions={
        <>
          {mayWrite && (
            <>
              <Button
                type={ids.length > 0 ? 'primary' : 'default'}
                disabled={none}
                onClick={() => setAsked({ what: 'replay', ids: ids.length > 0 ? ids : null })}
              >
                {ids.length > 0 ? t('replaySome', { count: ids.length }) : t('replayAll')}
              </Button>
              <Button
                danger
                disabled={none}
                onClick={() => setAsked({ what: 'remove', ids: ids.length > 0 ? ids : null })}
              >
                {ids.length > 0 ? t('dropSome', { count: ids.length }) : t('dropAll')}
              </Button>
            </>
          )}
          {!none && (
            <ExportButton
              name={`${view.name}-dead-letters`}
              columns={columns}
              fetchPage={({ cursor }, signal) =>
                call('subscriptions.deadLetters', {
                  params: { id: view.id },
                  query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) },
                  signal,
                })
              }
            />
          )}
        </>
      }
    >
      {dead.isError && !dead.data ? (
        <ErrorState error={dead.error} onRetry={() => void dead.refetch()} />
      ) : !dead.isPending && none ? (
        <EmptyState title={t('noDead')} description={t('noDeadText')} />
      ) : (
        <DataTable
          label={t('tabs.dead')}
          columns={columns}
          rows={rows}
          rowKey={row => row.id}
          density="dense"
          {...(mayWrite
            ? {
                selection: {
                  selected,
                  toggle: (some: readonly DeadLetter[], on: boolean) =>
                    setSelected(before => {
                      const next = new Map(before)
                      for (const row of some) {
                        if (on) next.set(row.id, row)
                        else next.delete(row.id)
                      }
                      return next
                    }),
                },
              }
            : {})}
          actions={row => [{ key: 'show', label: t('details'), onClick: () => setShown(row) }]}
          actionsWidth={80}
          skeleton={dead.isPending ? 6 : 0}
        />
      )}
      {dead.hasNextPage && (
        <div className={css.moreRow}>
          <Button loading={dead.isFetchingNextPage} onClick={() => void dead.fetchNextPage()}>
            {t('loadMore')}
          </Button>
        </div>
      )}
      {asked && (
        <Question
          view={view}
          asked={asked}
          onDone={() => {
            setSelected(new Map())
            setAsked(null)
          }}
          onCancel={() => setAsked(null)}
        />
      )}
      {shown && (
        <Drawer open size={720} title={t('deadTitle')} onClose={() => setShown(null)}>
          <div className={css.column}>
            <Facts
              items={[
                { label: t('givenUp'), value: formatDateTime(shown.at) },
                { label: t('attempts'), value: formatNumber(shown.attempts) },
                { label: t('why'), value: reasonText(shown.reason, t) },
                { label: t('statusCode'), value: shown.status === null ? '–' : String(shown.status) },
                { label: t('itemId'), value: <CopyId value={shown.item.id} />, wide: true },
              ]}
            />
            <MonoBox
              label={t('content')}
              text={JSON.stringify(shown.item, null, 2)}
              copied={JSON.stringify(shown.item)}
            />
          </div>
        </Drawer>
      )}
    </Panel>
  )
}

/** What a replay or a throwing away comes to, before it is done. */
function Question({
  view,
  asked,
  onDone,
  onCancel,
}: {
  view: SubscriptionView
  asked: Asked
  onDone: () => void
  onCancel: () => void
}) {
  const { t } = useTranslation('subscriptions')
  const count = asked.ids?.length ?? view.deadLetters
  const operation = asked.what === 'replay' ? 'subscriptions.replayDeadLetters' : 'subscriptions.removeDeadLetters'
  const { run, pending, error } = useAct(operation, {
    always: true,
    notice: false,
    done: ({ items }) => {
      notify.success(
        t(asked.what === 'replay' ? 'replayed' : 'droppedDone', { count: items, text: formatNumber(items) }),
      )
      onDone()
    },
  })
  return (
    <Modal
      open
      width={440}
      title={t(asked.what === 'replay' ? 'replayDeadTitle' : 'dropTitle')}
      okText={t(asked.what === 'replay' ? 'replay' : 'drop')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: pending, danger: asked.what === 'remove' }}
      onOk={() => void run({ params: { id: view.id }, body: asked.ids ? { ids: asked.ids } : {} })}
      onCancel={onCancel}
    >
      {error !== null && <FormAlert error={error} />}
      <p className={css.text}>
        {t(asked.what === 'replay' ? 'replayDeadText' : 'dropText', { count, text: formatNumber(count) })}
      </p>
    </Modal>
  )
}
