import { CustomerServiceOutlined, FileOutlined, FileZipOutlined, PlayCircleOutlined } from '@ant-design/icons'
import type { MediaView } from '@thingwright/contracts/media.contract'
import { useState } from 'react'
import css from '../media.module.css'

/** The small picture of a material, or a drawing for its kind; transparent parts stand on a checker board. */
export function MediaThumb({ media, small = false }: { media: MediaView; small?: boolean }) {
  // A picture whose end is missing has no small one: then its icon stands here, not a broken picture.
  const [broken, setBroken] = useState<string | null>(null)
  const shown = media.thumbUrl !== null && broken !== media.sha256 ? media.thumbUrl : null
  return (
    <span className={`${css.thumb} ${small ? css.thumbSmall : ''} ${shown ? css.checker : ''}`} aria-hidden="true">
      {shown ? (
        <img src={shown} alt="" loading="lazy" decoding="async" onError={() => setBroken(media.sha256)} />
      ) : (
        <KindIcon media={media} />
      )}
    </span>
  )
}

function KindIcon({ media }: { media: MediaView }) {
  if (media.kind === 'audio') return <CustomerServiceOutlined />
  if (media.kind === 'video') return <PlayCircleOutlined />
  return /zip/.test(media.contentType) ? <FileZipOutlined /> : <FileOutlined />
}
