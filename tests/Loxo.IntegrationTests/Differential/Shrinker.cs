namespace Loxo.IntegrationTests.Differential;

/// <summary>Makes a failing program smaller: removes steps as long as the drivers still disagree.</summary>
internal static class Shrinker
{
    public static async Task<GeneratedProgram> Shrink(GeneratedProgram program, Func<GeneratedProgram, Task<bool>> fails)
    {
        for (var size = Math.Max(1, program.Steps.Count / 2); size >= 1; size = size == 1 ? 0 : size / 2)
        {
            for (var start = program.Steps.Count - size; start >= 0; start -= size)
            {
                var smaller = program with { Steps = [.. program.Steps.Take(start), .. program.Steps.Skip(start + size)] };
                if (await fails(smaller))
                    program = smaller;
            }
        }
        var plain = program with { Keywords = "" };
        return program.Keywords.Length > 0 && await fails(plain) ? plain : program;
    }
}
