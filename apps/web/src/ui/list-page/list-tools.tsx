import {
  AppstoreOutlined,
  ColumnHeightOutlined,
  DownloadOutlined,
  MailOutlined,
  ReloadOutlined,
  SettingOutlined,
  StarOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons'
import { lazy, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { MenuButton } from '../popup/menu-button.tsx'
import { PopupButton } from '../popup/popup-button.tsx'
import css from './list-page.module.css'
import type { ListColumn } from './list-types.ts'
import type { ExportFormat } from './server-export.ts'
import type { ChangePreferences, ListPreferences } from './use-list-preferences.ts'

const ColumnChooser = lazy(async () => ({ default: (await import('./column-chooser.tsx')).ColumnChooser }))
const SavedViews = lazy(async () => ({ default: (await import('./saved-views.tsx')).SavedViews }))

/** The small buttons at the right of a list's filters. */
export function ListTools<T>({
  list,
  columns,
  left,
  preferences,
  change,
  query,
  onApplyView,
  layout,
  onRefresh,
  refreshing,
  onExport,
  formats = null,
  onSchedule = null,
}: {
  /** Name of the list, under which its views are kept. */
  list: string
  columns: readonly ListColumn<T>[]
  /** Keys of the columns that there is no room for. */
  left: readonly string[]
  preferences: ListPreferences
  change: ChangePreferences
  query: string
  onApplyView: (query: string) => void
  /** Present when the list can be shown as cards. */
  layout: 'table' | 'cards' | null
  onRefresh: () => void
  refreshing: boolean
  /** null: the list may not be exported. Called with the format chosen, or null when there is no choice. */
  onExport: ((format: ExportFormat | null) => void) | null
  formats?: readonly ExportFormat[] | null
  /** Makes a report of the list; null: it cannot be one, or the person may make none. */
  onSchedule?: (() => void) | null
}) {
  const { t } = useTranslation('list-page')
  const mayViews = useMay('savedViews.list')
  return (
    <>
      {mayViews && (
        <Pop label={t('views')} icon={<StarOutlined aria-hidden />}>
          <SavedViews list={list} preferences={preferences} change={change} query={query} onApply={onApplyView} />
        </Pop>
      )}
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
          <Pop
            label={left.length > 0 ? t('columnsLeft', { count: left.length }) : t('columns')}
            icon={
              <span className={css.counted} data-count={left.length || undefined}>
                <SettingOutlined aria-hidden />
              </span>
            }
          >
            <ColumnChooser
              columns={columns as readonly ListColumn<unknown>[]}
              chosen={preferences.columns}
              left={left}
              onChange={chosen => change(chosen === null ? { columns: null, widths: {} } : { columns: chosen })}
              resettable={preferences.columns !== null || Object.keys(preferences.widths).length > 0}
            />
          </Pop>
        </>
      )}
      {onExport && formats === null && (
        <Tool label={t('export')} icon={<DownloadOutlined aria-hidden />} onClick={() => onExport(null)} />
      )}
      {onExport && formats !== null && (
        <MenuButton
          label={t('exportMenu')}
          className={css.tool}
          items={formats.map(format => ({
            key: format,
            label: t(`exportAs.${format}`),
            onSelect: () => onExport(format),
          }))}
        >
          <DownloadOutlined aria-hidden />
        </MenuButton>
      )}
      {onSchedule && <Tool label={t('schedule')} icon={<MailOutlined aria-hidden />} onClick={onSchedule} />}
    </>
  )
}

function Tool({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <button type="button" className={css.tool} aria-label={label} title={label} onClick={onClick}>
      {icon}
    </button>
  )
}

function Pop({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) {
  return (
    <PopupButton label={label} className={css.tool} align="end" content={() => children}>
      {icon}
    </PopupButton>
  )
}
