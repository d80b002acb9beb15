export const MEDIA_KINDS = ['image', 'svg', 'audio', 'video', 'file'] as const
