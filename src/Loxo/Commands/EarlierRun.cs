namespace Loxo.Commands;

/// <summary>What is known of a command that has begun in a lane and goes on elsewhere.</summary>
/// <param name="AddedAt">When it was first added to a lane, by <see cref="Environment.TickCount64"/>; 0 if it was not.</param>
/// <param name="Moves">How often it has gone on elsewhere.</param>
internal readonly record struct EarlierRun(long AddedAt, int Moves);
