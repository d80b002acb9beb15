import { Button, Drawer } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Reply } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { locale } from '../../../lib/i18n.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PayloadView } from '../../../ui/payload-view.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress } from '../addresses.ts'

export type RefusedFrame = Reply<'formats.refusedFrames'>['items'][number]

const EVERY_MS = 10_000

/** The last messages that could not be taken, with their bytes; any of them can be opened in the tester. */
export function RefusedFrames({ productId, onTry }: { productId: string; onTry: (frame: RefusedFrame) => void }) {
  const { t } = useTranslation('products')
  const frames = useRead('formats.refusedFrames', { params: { id: productId } }, { refetchInterval: every(EVERY_MS) })
  const [shown, setShown] = useState<RefusedFrame | null>(null)
  const columns = useMemo<ListColumn<RefusedFrame>[]>(
    () => [
      { key: 'at', title: t('time'), width: 172, render: frame => <TimeText value={frame.at} mode="absolute" /> },
      {
        key: 'device',
        title: t('deviceNo'),
        width: 148,
        rank: 1,
        render: frame =>
          frame.deviceId && frame.deviceNo ? (
            <Link to={deviceAddress(frame.deviceId)} title={frame.deviceNo}>
              {frame.deviceNo}
            </Link>
          ) : (
            (frame.deviceNo ?? '–')
          ),
      },
      { key: 'reason', title: t('reason'), width: 224, render: frame => <ReasonText frame={frame} /> },
      {
        key: 'payload',
        title: t('payload'),
        minWidth: 200,
        rank: 2,
        render: frame => (
          <code style={{ fontSize: 12 }} title={frame.text ?? frame.hex}>
            {(frame.text ?? frame.hex).slice(0, 200)}
          </code>
        ),
      },
    ],
    [t],
  )
  return (
    <Panel
      title={t('refusedTitle')}
      hint={t('refusedHint')}
      flush
      actions={
        <Button loading={frames.isFetching && !frames.isPending} onClick={() => void frames.refetch()}>
          {t('refresh')}
        </Button>
      }
    >
      {frames.isError && !frames.data ? (
        <ErrorState error={frames.error} onRetry={() => void frames.refetch()} />
      ) : frames.data?.items.length === 0 ? (
        <EmptyState title={t('refusedEmpty')} description={t('refusedEmptyText')} />
      ) : (
        <DataTable
          label={t('refusedTitle')}
          columns={columns}
          rows={frames.data?.items ?? []}
          rowKey={frame => frame.id}
          density="dense"
          skeleton={frames.isPending ? 5 : 0}
          actionsWidth={locale() === 'en' ? 192 : 152}
          actions={frame => [
            { key: 'show', label: t('details'), onClick: () => setShown(frame) },
            {
              key: 'try',
              label: t('openInTester'),
              onClick: () => onTry(frame),
            },
          ]}
        />
      )}
      {shown && (
        <Drawer open size={640} title={t('refusedFrame')} onClose={() => setShown(null)}>
          <Facts
            items={[
              { label: t('time'), value: <TimeText value={shown.at} mode="absolute" /> },
              { label: t('deviceNo'), value: shown.deviceNo ?? '–' },
              { label: t('reason'), value: <ReasonText frame={shown} />, wide: true },
              { label: t('detail'), value: <code>{JSON.stringify(shown.detail)}</code>, wide: true },
            ]}
          />
          <div style={{ marginTop: 16 }}>
            <PayloadView hex={shown.hex} text={shown.text} />
          </div>
        </Drawer>
      )}
    </Panel>
  )
}

function ReasonText({ frame }: { frame: RefusedFrame }) {
  const { t } = useTranslation('products')
  const path = typeof frame.detail.path === 'string' ? frame.detail.path : ''
  const words = t(`refusal.${frame.reason}`, { defaultValue: frame.reason })
  return (
    <span title={JSON.stringify(frame.detail)}>
      {words}
      {path !== '' && (
        <>
          {' '}
          <code>{path}</code>
        </>
      )}
    </span>
  )
}
