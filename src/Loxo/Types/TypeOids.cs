namespace Loxo.Types;

/// <summary>OIDs of built-in types that are treated in a way of their own (pg_type.dat).</summary>
internal static class TypeOids
{
    public const uint Record = 2249;
    public const uint RecordArray = 2287;
}
