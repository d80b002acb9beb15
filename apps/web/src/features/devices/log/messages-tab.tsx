import { DownloadOutlined, PauseOutlined, PlayCircleOutlined } from '@ant-design/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Drawer, Select } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { usePermission } from '../../../lib/permissions.ts'
import { saveFile } from '../../../ui/list-page/csv.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts } from '../../../ui/panel.tsx'
import { PayloadView } from '../../../ui/payload-view.tsx'
import { NoPermissionState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import css from '../devices.module.css'
import { Feed } from './feed.tsx'
import {
  MESSAGE_KINDS,
  type Message,
  type MessageKind,
  mergeMessages,
  messageOf,
  messageWords,
  pushLive,
} from './message-log.ts'

const KIND: Record<MessageKind, StatusKind> = {
  property: 'processing',
  event: 'warning',
  reply: 'success',
  online: 'online',
  offline: 'offline',
  refused: 'error',
}

/** Everything the device said, with its bytes; runs along until it is paused. */
export function MessagesTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const mayRead = usePermission('telemetry:read')
  const [params, setParams] = useSearchParams()
  const kind = MESSAGE_KINDS.find(each => each === params.get('kind')) ?? null
  const [live, setLive] = useState<Message[]>([])
  const [paused, setPaused] = useState<Message[] | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const query = useInfiniteQuery({
    queryKey: ['devices', 'messages', device.id, kind ?? 'all'],
    enabled: mayRead,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call('telemetry.messages', {
        params: { id: device.id },
        query: { limit: 50, ...(pageParam === undefined ? {} : { cursor: pageParam }), ...(kind ? { kind } : {}) },
        signal,
      }),
    getNextPageParam: page => page.nextCursor ?? undefined,
  })
  const snapshots = useRef(0)
  useLiveTopic(mayRead ? `device/${device.id}/messages` : null, event => {
    // What was said during a cut stands in the log only.
    if (event.type === 'snapshot' && snapshots.current++ > 0) void query.refetch()
    if (event.type !== 'patch') return
    const message = messageOf(event.id, event.patch)
    if (message) setLive(before => pushLive(before, message))
  })
  const fetched = useMemo(() => (query.data?.pages ?? []).flatMap(page => page.items), [query.data])
  const running = useMemo(() => mergeMessages(live, fetched, kind), [live, fetched, kind])
  const rows = paused ?? running
  const waiting = paused ? Math.max(0, running.length - paused.length) : 0
  const detail = rows.find(message => message.id === shown)
  const refetch = () => {
    setPaused(null)
    void query.refetch().then(() => setLive([]))
  }
  const open = (message: Message) => {
    setShown(message.id)
    // Live messages come without their bytes: those stand in the log.
    if (message.hex === null && message.text === null && message.kind !== 'online' && message.kind !== 'offline')
      void query.refetch()
  }
  const columns = useMemo<ListColumn<Message>[]>(
    () => [
      {
        key: 'at',
        title: t('arrived'),
        width: 196,
        render: message => formatDateTime(message.arrivedAt, { millis: true }),
      },
      {
        key: 'kind',
        title: t('kind'),
        width: 96,
        render: message => <StatusTag kind={KIND[message.kind]}>{t(`messageKind.${message.kind}`)}</StatusTag>,
      },
      {
        key: 'marks',
        title: t('marks'),
        width: 96,
        render: message => (
          <span className={css.marks}>
            {message.late && <span title={t('lateHelp')}>{t('late')}</span>}
            {message.quality !== 'good' && (
              <span title={t(`quality.${message.quality}`)}>{t(`qualityShort.${message.quality}`)}</span>
            )}
          </span>
        ),
      },
      {
        key: 'payload',
        title: t('content'),
        minWidth: 240,
        render: message => (
          <code className={css.mono} title={messageWords(message)}>
            {message.refusedReason && (
              <b className={css.refusedWord}>
                {t(`refusal.${message.refusedReason}`, { defaultValue: message.refusedReason })}{' '}
              </b>
            )}
            {messageWords(message).slice(0, 300)}
          </code>
        ),
      },
    ],
    [t],
  )
  if (!mayRead) return <NoPermissionState permission="telemetry:read" />
  return (
    <>
      <Feed
        title={t('tabs.messages')}
        hint={t('messagesHint')}
        query={query}
        rows={rows}
        columns={columns}
        rowKey={message => message.id}
        actions={message => [{ key: 'show', label: t('details'), onClick: () => open(message) }]}
        empty={{ title: t('noMessages'), description: t('noMessagesText') }}
        tools={
          <>
            <Select
              allowClear
              aria-label={t('kind')}
              placeholder={t('kind')}
              style={{ width: 120 }}
              value={kind}
              options={MESSAGE_KINDS.map(value => ({ value, label: t(`messageKind.${value}`) }))}
              onChange={(next: MessageKind | null | undefined) => {
                setPaused(null)
                setParams(
                  before => {
                    const changed = new URLSearchParams(before)
                    if (next) changed.set('kind', next)
                    else changed.delete('kind')
                    return changed
                  },
                  { replace: true, preventScrollReset: true },
                )
              }}
            />
            <Button
              icon={paused ? <PlayCircleOutlined aria-hidden /> : <PauseOutlined aria-hidden />}
              aria-pressed={paused !== null}
              onClick={() => setPaused(paused ? null : running)}
            >
              {paused ? (waiting > 0 ? t('resumeCount', { count: waiting }) : t('resume')) : t('pause')}
            </Button>
            <Button loading={query.isRefetching} onClick={refetch}>
              {t('refresh')}
            </Button>
            <Button
              icon={<DownloadOutlined aria-hidden />}
              aria-label={t('download')}
              title={t('download')}
              disabled={rows.length === 0}
              onClick={() =>
                saveFile(
                  `${device.deviceNo}-messages.jsonl`,
                  rows.map(message => `${JSON.stringify(message)}\n`),
                  'application/x-ndjson',
                )
              }
            />
          </>
        }
      />
      {detail && (
        <Drawer open size={640} title={t(`messageKind.${detail.kind}`)} onClose={() => setShown(null)}>
          <div className={css.drawerStack}>
            <Facts
              items={[
                { label: t('arrived'), value: formatDateTime(detail.arrivedAt, { millis: true }) },
                { label: t('storedAt'), value: formatDateTime(detail.ts, { millis: true }) },
                {
                  label: t('deviceTime'),
                  value: detail.deviceTs === null ? '–' : formatDateTime(detail.deviceTs, { millis: true }),
                },
                { label: t('qualityWord'), value: t(`quality.${detail.quality}`) },
                ...(detail.refusedReason
                  ? [
                      {
                        label: t('reason'),
                        value: t(`refusal.${detail.refusedReason}`, { defaultValue: detail.refusedReason }),
                      },
                    ]
                  : []),
              ]}
            />
            {detail.values !== null && detail.values !== undefined && (
              <pre className={css.jsonBox} dir="ltr">
                {JSON.stringify(detail.values, null, 2)}
              </pre>
            )}
            <PayloadView hex={detail.hex} text={detail.text} />
          </div>
        </Drawer>
      )}
    </>
  )
}
