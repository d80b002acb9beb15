import { useTranslation } from 'react-i18next'
import css from '../audit.module.css'

/** An address with where it is, as far as that can be told. */
export function AddressText({ ip, place }: { ip: string | null; place: string | null }) {
  const { t } = useTranslation('audit')
  if (ip === null) return <span>–</span>
  return (
    <span className={css.two}>
      <span className={css.mono}>{ip}</span>
      {place !== null && place !== 'unknown' && <small>{t(`place.${place}` as never)}</small>}
    </span>
  )
}
