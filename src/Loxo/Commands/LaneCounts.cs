namespace Loxo.Commands;

/// <summary>What a lane has done.</summary>
internal readonly record struct LaneCounts(long Commands, long Moved, long Grouped, long Groups, long Sends, long Receives)
{
    public LaneCounts Plus(LaneCounts other) => new(Commands + other.Commands, Moved + other.Moved, Grouped + other.Grouped,
        Groups + other.Groups, Sends + other.Sends, Receives + other.Receives);
}
