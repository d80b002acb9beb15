import { useTranslation } from 'react-i18next'
import css from './sign-in.module.css'
import { TextField } from './text-field.tsx'
import type { CaptchaState } from './use-captcha.ts'

/** Five letters in a picture; a click on it shows another one. */
export function CaptchaField({ captcha, error }: { captcha: CaptchaState; error?: string | null }) {
  const { t } = useTranslation('identity')
  const { image } = captcha
  return (
    <TextField
      label={t('captcha.label')}
      name="captcha"
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={8}
      placeholder={t('captcha.placeholder')}
      value={captcha.answer}
      error={error}
      onChange={event => captcha.setAnswer(event.target.value)}
      suffix={
        <button
          type="button"
          className={css.captcha}
          onClick={captcha.reload}
          title={t('captcha.another')}
          aria-label={t(image.state === 'failed' ? 'captcha.failed' : 'captcha.another')}
          data-testid="captcha"
          data-state={image.state}
        >
          {image.state === 'shown' ? (
            <img src={image.src} alt={t('captcha.label')} width={144} height={46} />
          ) : (
            <span>{t(image.state === 'failed' ? 'captcha.failed' : 'captcha.loading')}</span>
          )}
        </button>
      }
    />
  )
}
