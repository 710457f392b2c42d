using System.Diagnostics;
using System.Text.Json;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Against;

/// <summary>A build of the benchmark in its own process. It measures one batch at a time, when it is asked to.</summary>
internal sealed class BuildProcess : IDisposable
{
    /// <summary>The option that makes the program this process; its value is the server.</summary>
    public const string Option = "--measure-on-request";

    private readonly Process _process;

    public BuildProcess(string name, string program, Target target)
    {
        Name = name;
        _process = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, [program, Option, target.ToString()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
    }

    public string Name { get; }

    /// <summary>Answers requests from standard input until it ends: a row's name opens the row, an empty line measures a batch.</summary>
    public static int Serve(Target target)
    {
        Work? work = null;
        while (Console.ReadLine() is { } request)
        {
            if (request.Length > 0)
            {
                work?.Dispose();
                work = Work.Open(Rows.Find(request)!, [PeerKind.Loxo], target).Single();
                Console.WriteLine(work.Batch);
            }
            else
            {
                var sample = work!.Measure(out var sum);
                Console.WriteLine(JsonSerializer.Serialize(new Turn(sample, sum)));
            }
        }
        work?.Dispose();
        return 0;
    }

    /// <summary>Opens a row; the process closes the row it had open.</summary>
    public IParticipant Open(Row row) => new Participant(this, int.Parse(Request(row.Id)));

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    private string Request(string text)
    {
        _process.StandardInput.WriteLine(text);
        _process.StandardInput.Flush();
        return _process.StandardOutput.ReadLine()
            ?? throw new InvalidOperationException($"The process of the build '{Name}' ended before it answered; its error is above.");
    }

    private sealed record Turn(Sample Sample, long Sum);

    private sealed class Participant(BuildProcess build, int batch) : IParticipant
    {
        public string Name => build.Name;

        public int Batch => batch;

        public Sample Measure(out long sum)
        {
            var turn = JsonSerializer.Deserialize<Turn>(build.Request(""))!;
            sum = turn.Sum;
            return turn.Sample;
        }

        public void Dispose()
        {
        }
    }
}
