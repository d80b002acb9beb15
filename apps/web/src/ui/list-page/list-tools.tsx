import {
  AppstoreOutlined,
  ColumnHeightOutlined,
  DownloadOutlined,
  ReloadOutlined,
  SettingOutlined,
  StarOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons'
import { Button, Popover } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ColumnChooser } from './column-chooser.tsx'
import css from './list-page.module.css'
import type { ListColumn } from './list-types.ts'
import { SavedViews } from './saved-views.tsx'
import type { ListPreferences } from './use-list-preferences.ts'

/** The small buttons at the right of a list's filters. */
export function ListTools<T>({
  columns,
  preferences,
  change,
  query,
  onApplyView,
  layout,
  onRefresh,
  refreshing,
  onExport,
}: {
  columns: readonly ListColumn<T>[]
  preferences: ListPreferences
  change: (part: Partial<ListPreferences>) => void
  query: string
  onApplyView: (query: string) => void
  /** Present when the list can be shown as cards. */
  layout: 'table' | 'cards' | null
  onRefresh: () => void
  refreshing: boolean
  onExport: (() => void) | null
}) {
  const { t } = useTranslation('list-page')
  return (
    <>
      <Pop label={t('views')} icon={<StarOutlined aria-hidden />}>
        <SavedViews preferences={preferences} change={change} query={query} onApply={onApplyView} />
      </Pop>
      <Tool label={t('refresh')} icon={<ReloadOutlined spin={refreshing} aria-hidden />} onClick={onRefresh} />
      {layout !== null && (
        <Tool
          label={layout === 'cards' ? t('asTable') : t('asCards')}
          icon={layout === 'cards' ? <UnorderedListOutlined aria-hidden /> : <AppstoreOutlined aria-hidden />}
          onClick={() => change({ layout: layout === 'cards' ? 'table' : 'cards' })}
        />
      )}
      {layout !== 'cards' && (
        <>
          <Tool
            label={preferences.density === 'dense' ? t('densityNormal') : t('densityDense')}
            icon={<ColumnHeightOutlined aria-hidden />}
            onClick={() => change({ density: preferences.density === 'dense' ? 'normal' : 'dense' })}
          />
          <Pop label={t('columns')} icon={<SettingOutlined aria-hidden />}>
            <ColumnChooser
              columns={columns}
              chosen={preferences.columns}
              onChange={chosen => change({ columns: chosen })}
            />
          </Pop>
        </>
      )}
      {onExport && <Tool label={t('export')} icon={<DownloadOutlined aria-hidden />} onClick={onExport} />}
    </>
  )
}

function Tool({ label, icon, onClick }: { label: string; icon: ReactNode; onClick?: () => void }) {
  return (
    <Button
      type="text"
      className={css.tool ?? ''}
      icon={icon}
      aria-label={label}
      title={label}
      {...(onClick ? { onClick } : {})}
    />
  )
}

function Pop({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) {
  return (
    <Popover trigger="click" placement="bottomRight" content={children} destroyOnHidden>
      <Button type="text" className={css.tool ?? ''} icon={icon} aria-label={label} title={label} />
    </Popover>
  )
}
