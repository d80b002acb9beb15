import { DownloadOutlined, PauseOutlined, PlayCircleOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Dropdown, Input, Segmented, Select } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { download } from '../../../lib/api-client.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NoPermissionState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import css from '../devices.module.css'
import { Feed } from './feed.tsx'
import own from './log.module.css'
import { MessageDetail } from './message-detail.tsx'
import { MESSAGE_KINDS, type Message, type MessageKind, messageWords, QUALITIES } from './message-log.ts'
import { RANGES, useMessageLog } from './use-message-log.ts'

const FramesPanel = lazy(async () => ({ default: (await import('../frames/frames-panel.tsx')).FramesPanel }))

const KIND: Record<MessageKind, StatusKind> = {
  property: 'processing',
  event: 'warning',
  reply: 'success',
  online: 'online',
  offline: 'offline',
  refused: 'error',
  command: 'neutral',
}

/** Everything that was said between device and platform: as messages, or as the bytes that cross the connection. */
export function MessagesTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const { t: words } = useTranslation('diagnose')
  const [params, setParams] = useSearchParams()
  const frames = params.get('view') === 'frames'
  const choice = (
    <Segmented
      value={frames ? 'frames' : 'log'}
      options={[
        { value: 'log', label: t('tabs.messages') },
        { value: 'frames', label: words('frames.title') },
      ]}
      onChange={view =>
        setParams(
          before => {
            const changed = new URLSearchParams(before)
            if (view === 'frames') changed.set('view', 'frames')
            else changed.delete('view')
            return changed
          },
          { replace: true, preventScrollReset: true },
        )
      }
    />
  )
  if (!frames) return <MessageLog device={device} choice={choice} />
  return (
    <Suspense fallback={<div className={css.tabBone} />}>
      <FramesPanel device={device} tools={choice} />
    </Suspense>
  )
}

function MessageLog({ device, choice }: { device: DeviceView; choice: React.ReactNode }) {
  const { t } = useTranslation('devices')
  const { t: words } = useTranslation('diagnose')
  const mayExport = useMay('telemetry.exportMessages')
  const log = useMessageLog(device.id)
  const { filters } = log
  const [shown, setShown] = useState<string | null>(null)
  const [asked, setAsked] = useState(filters.q)
  const detail = log.rows.find(message => message.id === shown)
  const open = (message: Message) => {
    setShown(message.id)
    // Live messages come without their bytes: those of refused ones stand in the log.
    if (message.kind === 'refused' && message.hex === null) void log.log.refetch()
  }
  const { attempt } = useWork()
  const save = (format: 'ndjson' | 'csv') =>
    void attempt(() =>
      download('telemetry.exportMessages', `${device.deviceNo}-messages.${format}`, {
        params: { id: device.id },
        query: { ...log.query(), format },
      }),
    )
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
        width: 128,
        render: message => (
          <StatusTag kind={KIND[message.kind]}>
            {message.direction === 'none' ? '' : message.direction === 'up' ? '↑ ' : '↓ '}
            {t(`messageKind.${message.kind}`)}
          </StatusTag>
        ),
      },
      {
        key: 'marks',
        title: t('marks'),
        width: 112,
        render: message => (
          <span className={css.marks}>
            {message.simulated && <span title={words('log.simulatedHelp')}>{words('log.simulated')}</span>}
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
    [t, words],
  )
  if (!log.mayRead) return <NoPermissionState of="telemetry.messages" />
  return (
    <>
      <Feed
        title={t('tabs.messages')}
        hint={t('messagesHint')}
        query={log.log}
        rows={log.rows}
        columns={columns}
        rowKey={message => message.id}
        actions={message => [{ key: 'show', label: t('details'), onClick: () => open(message) }]}
        empty={{ title: t('noMessages'), description: t('noMessagesText') }}
        filters={
          <>
            <Input.Search
              allowClear
              aria-label={words('log.search')}
              placeholder={words('log.search')}
              style={{ width: 220 }}
              maxLength={128}
              value={asked}
              onChange={event => setAsked(event.target.value)}
              onSearch={q => log.set({ q: q.trim() })}
            />
            <Select
              allowClear
              aria-label={t('kind')}
              placeholder={t('kind')}
              style={{ width: 112 }}
              value={filters.kind}
              options={MESSAGE_KINDS.map(value => ({ value, label: t(`messageKind.${value}`) }))}
              onChange={next => log.set({ kind: next ?? null })}
            />
            <Select
              allowClear
              aria-label={words('log.quality')}
              placeholder={words('log.quality')}
              style={{ width: 104 }}
              value={filters.quality}
              options={QUALITIES.map(value => ({ value, label: t(`qualityShort.${value}`) }))}
              onChange={next => log.set({ quality: next ?? null })}
            />
            <Select
              aria-label={words('log.range')}
              style={{ width: 104 }}
              value={log.range}
              options={Object.keys(RANGES).map(value => ({ value, label: words(`log.ranges.${value}`) }))}
              onChange={next => log.set({ range: next === 'all' ? null : next })}
            />
          </>
        }
        tools={
          <>
            {choice}
            <Button
              icon={log.paused ? <PlayCircleOutlined aria-hidden /> : <PauseOutlined aria-hidden />}
              aria-pressed={log.paused}
              onClick={log.pause}
            >
              {log.paused ? (log.waiting > 0 ? t('resumeCount', { count: log.waiting }) : t('resume')) : t('pause')}
            </Button>
            <Button loading={log.log.isRefetching} onClick={log.refetch}>
              {t('refresh')}
            </Button>
            {mayExport && (
              <Dropdown
                trigger={['click']}
                menu={{
                  items: [
                    { key: 'ndjson', label: words('log.ndjson') },
                    { key: 'csv', label: words('log.csv') },
                  ],
                  onClick: ({ key }) => save(key as 'ndjson' | 'csv'),
                }}
              >
                <Button
                  icon={<DownloadOutlined aria-hidden />}
                  aria-label={words('log.download')}
                  title={words('log.download')}
                />
              </Dropdown>
            )}
          </>
        }
      />
      {log.searchedTo && (
        <p className={own.searched}>{words('log.searchedTo', { time: formatDateTime(log.searchedTo) })}</p>
      )}
      {detail && <MessageDetail device={device} message={detail} onClose={() => setShown(null)} />}
    </>
  )
}
