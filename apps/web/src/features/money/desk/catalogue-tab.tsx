import { PlusOutlined } from '@ant-design/icons'
import type { CatalogueItem } from '@thingwright/contracts/catalogue.contract'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMoney } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import type { Tabs } from '../consumption-list.tsx'
import css from '../money.module.css'
import { nameOf } from '../words.ts'
import { ItemDrawer } from './item-drawer.tsx'

const KIND = { draft: 'warning', published: 'success', retired: 'neutral' } as const

/** What the platform sells. */
export function CatalogueTab({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const allowed = useMay('catalogue.list')
  const mayWrite = useMay('catalogue.create')
  const read = useRead('catalogue.list', {}, { enabled: allowed })
  const [open, setOpen] = useState<CatalogueItem | 'new' | null>(null)
  const update = useAct('catalogue.update')
  if (!allowed) return <NoPermissionState of="catalogue.list" />
  const setState = (item: CatalogueItem, state: CatalogueItem['state']) =>
    void update.run({ params: { id: item.id }, body: { version: item.version, state } })
  const create = mayWrite && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
      {t('desk.add')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('desk.title')} description={t('desk.lead')} actions={create} />
      <TabBar label={t('desk.title')} items={tabs.items} active={tabs.active} onChange={tabs.onChange} />
      <Panel flush={(read.data?.items.length ?? 0) > 0}>
        {read.isError ? (
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        ) : !read.data ? (
          <Skeleton active paragraph={{ rows: 6 }} />
        ) : read.data.items.length === 0 ? (
          <EmptyState title={t('desk.emptyTitle')} description={t('desk.emptyText')} action={create} />
        ) : (
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t('desk.name')}</th>
                <th scope="col">{t('kindLabel')}</th>
                <th scope="col" className={css.number}>
                  {t('charge.unitPrice')}
                </th>
                <th scope="col">{t('stateLabel')}</th>
                <th scope="col">{t('assets.act')}</th>
              </tr>
            </thead>
            <tbody>
              {read.data.items.map(item => (
                <tr key={item.id}>
                  <td>
                    {nameOf(item)}
                    <br />
                    <small>{item.sku}</small>
                  </td>
                  <td>{t(`kind.${item.kind}`)}</td>
                  <td className={css.number}>{formatMoney(item.priceFen)}</td>
                  <td>
                    <StatusTag kind={KIND[item.state]}>{t(`desk.state.${item.state}`)}</StatusTag>
                  </td>
                  <td>
                    {mayWrite && (
                      <>
                        <Button type="link" size="small" onClick={() => setOpen(item)}>
                          {t('desk.edit')}
                        </Button>
                        {item.state === 'published' ? (
                          <Button type="link" size="small" danger onClick={() => setState(item, 'retired')}>
                            {t('desk.retire')}
                          </Button>
                        ) : (
                          <Button type="link" size="small" onClick={() => setState(item, 'published')}>
                            {t('desk.publish')}
                          </Button>
                        )}
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
      {open && <ItemDrawer item={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </>
  )
}
