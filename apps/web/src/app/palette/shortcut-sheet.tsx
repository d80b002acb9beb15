import { useTranslation } from 'react-i18next'
import css from './palette.module.css'
import { Sheet } from './sheet.tsx'

const SHEET = {
  everywhere: [
    ['search', 'Ctrl', 'K'],
    ['assistant', 'Ctrl', '/'],
    ['sheet', '?'],
    ['leave', 'Esc'],
    ['skip', 'Tab'],
  ],
  lists: [
    ['down', 'J'],
    ['up', 'K'],
    ['open', 'Enter'],
    ['select', 'X'],
    ['find', '/'],
  ],
} as const

/** Every key the console knows. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('palette')
  return (
    <Sheet title={t('shortcuts')} onClose={onClose}>
      {(['everywhere', 'lists'] as const).map(part => (
        <section key={part}>
          <h3>{t(`keys.${part}`)}</h3>
          <dl>
            {SHEET[part].map(([name, ...keys]) => (
              <div key={name}>
                <dt>{t(`keys.${name}`)}</dt>
                <dd>
                  {keys.map(key => (
                    <kbd key={key} className={css.key}>
                      {key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Sheet>
  )
}
