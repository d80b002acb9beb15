import { MESSAGE_CHANNELS, TEMPLATE_EVENTS } from '@thingwright/contracts/contacts.words'
import type { NotificationTemplateView } from '@thingwright/contracts/notification-templates.contract'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchTemplates, type Tabs } from '../hooks.ts'

const TemplateDrawer = lazy(async () => ({ default: (await import('./template-drawer.tsx')).TemplateDrawer }))

const keyOf = (row: NotificationTemplateView) => `${row.channel}/${row.event}/${row.locale}`

/** The words of messages about alarms, by channel, event and language. */
export function TemplateList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('contacts')
  const [open, setOpen] = useState<NotificationTemplateView | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'channel',
        label: t('channel.kind'),
        options: MESSAGE_CHANNELS.map(value => ({ value, label: t(`way.${value}`) })),
      },
      {
        key: 'event',
        label: t('template.event'),
        options: TEMPLATE_EVENTS.map(value => ({ value, label: t(`template.${value}`) })),
      },
      {
        key: 'locale',
        label: t('template.language'),
        options: [
          { value: 'zh', label: t('localeZh') },
          { value: 'en', label: t('localeEn') },
        ],
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<NotificationTemplateView>[]>(() => {
    const stateOf = (row: NotificationTemplateView) =>
      row.version === 0
        ? t('template.builtIn')
        : [t('template.own'), ...(row.approval === 'none' ? [] : [t(`approval.${row.approval}`)])].join(' \u00b7 ')
    return [
      {
        key: 'channel',
        title: t('channel.kind'),
        width: 120,
        required: true,
        render: row => t(`way.${row.channel}`),
        csv: row => t(`way.${row.channel}`),
      },
      {
        key: 'event',
        title: t('template.event'),
        width: 96,
        render: row => t(`template.${row.event}`),
        csv: row => t(`template.${row.event}`),
      },
      {
        key: 'locale',
        title: t('template.language'),
        width: 96,
        rank: 2,
        render: row => t(row.locale === 'zh' ? 'localeZh' : 'localeEn'),
        csv: row => t(row.locale === 'zh' ? 'localeZh' : 'localeEn'),
      },
      {
        key: 'body',
        title: t('template.text'),
        minWidth: 220,
        render: row => [row.subject, row.body].filter(Boolean).join(' \u00b7 '),
        csv: row => [row.subject, row.body].filter(Boolean).join(' '),
      },
      { key: 'state', title: t('state'), width: 176, rank: 3, render: stateOf, csv: stateOf },
      {
        key: 'changedAt',
        title: t('template.changedAt'),
        width: 132,
        rank: 1,
        render: row => (row.changedAt ? <TimeText value={row.changedAt} /> : '\u2013'),
        csv: row => (row.changedAt ? formatDateTime(row.changedAt) : ''),
      },
    ]
  }, [t])
  const rowActions = useCallback(
    (row: NotificationTemplateView): RowAction[] => [
      { key: 'edit', label: t('template.open'), onClick: () => setOpen(row) },
    ],
    [t],
  )
  return (
    <>
      <ListPage
        id="notification-templates"
        operation="notificationTemplates.list"
        fetchPage={fetchTemplates}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('template.search')}
        title={t('title')}
        description={t('lead')}
        rowActions={rowActions}
        empty={{ title: t('template.emptyTitle'), description: t('template.emptyText') }}
        exportName="notification-templates"
      />
      <Suspense>{open && <TemplateDrawer key={keyOf(open)} template={open} onClose={() => setOpen(null)} />}</Suspense>
    </>
  )
}
