import { DeleteOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import css from './list-page.module.css'
import type { ListPreferences } from './use-list-preferences.ts'

/** Filters, order and columns under a name of one's own. */
export function SavedViews({
  preferences,
  change,
  query,
  onApply,
}: {
  preferences: ListPreferences
  change: (part: Partial<ListPreferences>) => void
  query: string
  onApply: (query: string) => void
}) {
  const { t } = useTranslation('list-page')
  const [name, setName] = useState('')
  const { views } = preferences
  const save = () => {
    const trimmed = name.trim()
    if (trimmed === '') return
    const view = { name: trimmed, query, columns: preferences.columns }
    change({ views: [...views.filter(other => other.name !== trimmed), view] })
    setName('')
  }
  return (
    <div className={css.views}>
      {views.length === 0 && <p className={css.hint}>{t('viewsEmpty')}</p>}
      {views.map(view => (
        <div key={view.name} className={css.viewRow}>
          <Button
            type="text"
            title={view.name}
            onClick={() => {
              change({ columns: view.columns })
              onApply(view.query)
            }}
          >
            {view.name}
          </Button>
          <Button
            type="text"
            size="small"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('viewDelete', { name: view.name })}
            onClick={() => change({ views: views.filter(other => other !== view) })}
          />
        </div>
      ))}
      <div className={css.popFoot}>
        <Input
          value={name}
          maxLength={32}
          placeholder={t('viewName')}
          aria-label={t('viewName')}
          onChange={event => setName(event.target.value)}
          onPressEnter={save}
        />
        <Button type="link" disabled={name.trim() === ''} onClick={save}>
          {t('viewSave')}
        </Button>
      </div>
    </div>
  )
}
