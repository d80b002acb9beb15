import type { AlarmLevel } from '@thingwright/contracts/alarms.contract'
import { ALARM_SOUNDS } from '@thingwright/contracts/alarms.words'
import { Button, ColorPicker, Drawer, Input, Select, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { AlarmShape } from '../../../ui/status-tag.tsx'
import css from '../alarms.module.css'
import { allowSounds, playSound } from '../wall/sounds.ts'

/** Names, colours and sounds of the five levels. */
export function LevelsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('alarms')
  const read = useRead('alarms.levels')
  return read.data ? (
    <Editor key={read.data.version} items={read.data.items} version={read.data.version} onClose={onClose} />
  ) : (
    <Drawer open size={720} title={t('levels.title')} onClose={onClose}>
      {read.isError ? <ErrorState error={read.error} onRetry={() => void read.refetch()} /> : <Skeleton active />}
    </Drawer>
  )
}

function Editor({ items, version, onClose }: { items: readonly AlarmLevel[]; version: number; onClose: () => void }) {
  const { t } = useTranslation('alarms')
  const [draft, setDraft] = useState(() => [...items].sort((a, b) => b.level - a.level))
  const [failure, setFailure] = useState<unknown>(null)
  const dirty = draft.some(each => JSON.stringify(each) !== JSON.stringify(items.find(one => one.level === each.level)))
  const guard = useUnsavedGuard(dirty)
  const save = useAct('alarms.setLevels', {
    done: () => {
      notify.success(t('levels.saved'))
      onClose()
    },
  })
  const change = (level: number, to: Partial<AlarmLevel>) =>
    setDraft(now => now.map(each => (each.level === level ? { ...each, ...to } : each)))
  const nameless = draft.some(each => each.name.trim() === '' || each.ename.trim() === '')
  return (
    <Drawer
      open
      size={720}
      title={t('levels.title')}
      onClose={() => guard.ask(onClose)}
      footer={
        <div className={css.foot}>
          <Button onClick={() => guard.ask(onClose)}>{t('cancel')}</Button>
          <Button
            type="primary"
            disabled={!dirty || nameless}
            loading={save.pending}
            onClick={() => {
              setFailure(null)
              save.send({ body: { items: draft, version } }).catch(setFailure)
            }}
          >
            {t('save')}
          </Button>
        </div>
      }
    >
      <div className={css.stack}>
        {failure !== null && <FormAlert error={failure} />}
        <p>{t('levels.text')}</p>
        <table className={css.levels}>
          <thead>
            <tr>
              <th scope="col">{t('level')}</th>
              <th scope="col">{t('levels.name')}</th>
              <th scope="col">{t('levels.ename')}</th>
              <th scope="col">{t('levels.color')}</th>
              <th scope="col">{t('levels.sound')}</th>
            </tr>
          </thead>
          <tbody>
            {draft.map(each => (
              <tr key={each.level}>
                <td>
                  <AlarmShape level={each.level} colour={each.color} /> {each.level}
                </td>
                <td>
                  <Input
                    aria-label={`${t('levels.name')} ${each.level}`}
                    value={each.name}
                    maxLength={32}
                    {...(each.name.trim() === '' ? { status: 'error' as const } : {})}
                    onChange={event => change(each.level, { name: event.target.value })}
                  />
                </td>
                <td>
                  <Input
                    aria-label={`${t('levels.ename')} ${each.level}`}
                    value={each.ename}
                    maxLength={32}
                    {...(each.ename.trim() === '' ? { status: 'error' as const } : {})}
                    onChange={event => change(each.level, { ename: event.target.value })}
                  />
                </td>
                <td>
                  <ColorPicker
                    value={each.color}
                    disabledAlpha
                    onChangeComplete={colour => change(each.level, { color: colour.toHexString().slice(0, 7) })}
                  />
                </td>
                <td>
                  <Select
                    aria-label={`${t('levels.sound')} ${each.level}`}
                    className={css.sound ?? ''}
                    value={each.sound}
                    options={ALARM_SOUNDS.map(value => ({ value, label: t(`sound.${value}`) }))}
                    onChange={sound => {
                      change(each.level, { sound })
                      void allowSounds().then(allowed => allowed && playSound(sound))
                    }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {nameless && (
          <p className={css.complaint} role="alert">
            {t('levels.nameless')}
          </p>
        )}
      </div>
      {guard.dialog}
    </Drawer>
  )
}
