import { EllipsisOutlined, GlobalOutlined, LinkOutlined } from '@ant-design/icons'
import type { MediaView } from '@thingwright/contracts/media.contract'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import type { RowAction } from '../../../ui/list-page/list-types.ts'
import { MenuButton } from '../../../ui/popup/menu-button.tsx'
import css from '../media.module.css'
import { MediaThumb } from './media-thumb.tsx'

/** A material in the grid: its picture opens it, the box in the corner chooses it. */
export function MediaCard({
  media,
  chosen,
  onChoose,
  onOpen,
  actions,
}: {
  media: MediaView
  chosen: boolean
  onChoose: ((on: boolean) => void) | null
  onOpen: () => void
  actions: RowAction[]
}) {
  const { t } = useTranslation('media')
  const facts = [
    t(`kind.${media.kind}`),
    formatBytes(media.size),
    ...(media.width === null ? [] : [`${media.width} × ${media.height}`]),
  ].join(' · ')
  return (
    <article className={`${css.card} ${chosen ? css.cardChosen : ''}`} aria-label={media.name}>
      <button type="button" className={css.cardOpen} onClick={onOpen} aria-label={t('previewOf', { name: media.name })}>
        <MediaThumb media={media} />
      </button>
      {onChoose && (
        <label className={css.choose}>
          <input
            type="checkbox"
            checked={chosen}
            onChange={event => onChoose(event.target.checked)}
            aria-label={t('choose', { name: media.name })}
          />
        </label>
      )}
      <span className={css.badges}>
        {media.public && (
          <span className={css.badge} title={t('publicOn')}>
            <GlobalOutlined aria-label={t('publicOn')} />
          </span>
        )}
        {media.uses > 0 && (
          <span className={css.badge} title={t('usedIn', { count: media.uses })}>
            <LinkOutlined aria-hidden /> {media.uses}
          </span>
        )}
      </span>
      <div className={css.cardText}>
        <span className={css.cardName} title={media.name} dir="auto">
          {media.name}
        </span>
        <span className={css.cardFacts}>
          <span title={facts}>{facts}</span>
          <MenuButton
            label={t('actionsOf', { name: media.name })}
            className={css.cardMenu}
            items={actions.map(action => ({
              key: action.key,
              label: action.label,
              danger: action.danger === true,
              onSelect: () => action.onClick?.(),
            }))}
          >
            <EllipsisOutlined aria-hidden />
          </MenuButton>
        </span>
      </div>
    </article>
  )
}
