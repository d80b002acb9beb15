import { CheckOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import css from './campaigns.module.css'

/** Where one is among the steps; those that were seen can be gone to. */
export function StepBar({
  steps,
  at,
  seen,
  onGo,
}: {
  steps: readonly { key: string; label: string }[]
  at: number
  seen: number
  onGo: (at: number) => void
}) {
  const { t } = useTranslation('ota')
  return (
    <nav aria-label={t('stepsLabel')}>
      <ol className={css.steps}>
        {steps.map((step, index) => (
          <li key={step.key}>
            <button
              type="button"
              disabled={index > seen}
              aria-current={index === at ? 'step' : undefined}
              data-done={index < at}
              onClick={() => index !== at && onGo(index)}
            >
              <span className={css.stepNo} aria-hidden="true">
                {index < at ? <CheckOutlined /> : index + 1}
              </span>
              {step.label}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
