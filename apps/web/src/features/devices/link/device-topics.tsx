import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'

const TOPICS = [
  { topic: 'property/post', up: true, label: 'propertyPost' },
  { topic: 'event/{identifier}/post', up: true, label: 'eventPost' },
  { topic: 'property/set', up: false, label: 'propertySet' },
  { topic: 'property/set_reply', up: true, label: 'propertySetReply' },
  { topic: 'service/{identifier}/invoke', up: false, label: 'serviceInvoke' },
  { topic: 'service/{identifier}/invoke_reply', up: true, label: 'serviceReply' },
  { topic: 'shadow/get', up: true, label: 'shadowGet' },
  { topic: 'shadow/get_reply', up: false, label: 'shadowReply' },
  { topic: 'ntp/request', up: true, label: 'ntpRequest' },
  { topic: 'ntp/response', up: false, label: 'ntpResponse' },
] as const

type Topic = (typeof TOPICS)[number]

/** The topics of one device, whole, ready to be copied. */
export function DeviceTopics({ prefix }: { prefix: string }) {
  const { t } = useTranslation('devices')
  const columns = useMemo<ListColumn<Topic>[]>(
    () => [
      { key: 'topic', title: t('topic'), minWidth: 320, render: line => <CopyId value={prefix + line.topic} /> },
      {
        key: 'direction',
        title: t('direction'),
        width: 96,
        render: line => `${line.up ? '\u2191' : '\u2193'} ${t(line.up ? 'up' : 'down')}`,
      },
      { key: 'label', title: t('purpose'), width: 200, render: line => t(`topics.${line.label}`) },
    ],
    [t, prefix],
  )
  return (
    <Panel title={t('topicsTitle')} hint={t('topicsHint')} flush>
      <DataTable label={t('topicsTitle')} columns={columns} rows={TOPICS} rowKey={line => line.topic} density="dense" />
    </Panel>
  )
}
