interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly about?: string | undefined;
}

/** A figure among others, inside `dl.tiles`. */
export function Tile({ name, value, about }: TileProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        {about && <small>{about}</small>}
      </dd>
    </div>
  );
}
