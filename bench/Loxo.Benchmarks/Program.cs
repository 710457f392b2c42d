using System.CommandLine;
using Loxo.Benchmarks;
using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.Reporting;

var rounds = new Option<int>("--rounds") { Description = "How often each peer's turn comes; at least 6.", DefaultValueFactory = _ => 10 };
var rows = new Option<string>("--rows") { Description = "Rows to run, separated by commas: " + string.Join(", ", Row.All.Select(row => row.Id)), DefaultValueFactory = _ => "" };
var peers = new Option<string>("--peers") { Description = "Peers to run, separated by commas; all when empty.", DefaultValueFactory = _ => "" };
var name = new Option<string>("--name") { Description = "Name of the files in bench/results.", DefaultValueFactory = _ => "run" };
var readme = new Option<bool>("--readme") { Description = "Only write README's table, from the newest result." };
var noTrace = new Option<bool>("--no-trace") { Description = "Do not count system calls." };
var noFiles = new Option<bool>("--no-files") { Description = "Print the table, write no result." };
var profile = new Option<string?>("--profile") { Description = "Run one row in a loop, for a profiler, and show what it allocates." };
var seconds = new Option<int>("--seconds") { Description = "How long --profile runs.", DefaultValueFactory = _ => 10 };
var trace = new Option<string?>("--traced-by") { Description = "Run by the program itself under strace.", Hidden = true };

var root = new RootCommand("Loxo beside Npgsql, libpq and raw sockets.") { rounds, rows, peers, name, readme, noTrace, noFiles, profile, seconds, trace };
root.SetAction(parsed =>
{
    if (parsed.GetValue(readme))
        return ReadmeTable.Write();
    var chosenRows = Row.Choose(parsed.GetValue(rows)!);
    var chosenPeers = PeerKind.Choose(parsed.GetValue(peers)!);
    if (parsed.GetValue(trace) is { } target)
        return TracedRun.Run(Target.Parse(target), chosenRows, chosenPeers);

    using var server = new BenchServer();
    if (parsed.GetValue(profile) is { } profiled)
        return Profile.Run(server.Target, Row.Choose(profiled)[0], chosenPeers[0], parsed.GetValue(seconds));

    var results = new Rounds(server.Target, chosenPeers, Math.Max(6, parsed.GetValue(rounds))).Run(chosenRows);
    if (!parsed.GetValue(noTrace))
        SystemCalls.Count(server.Target, results);
    var report = new Report(MachineFacts.Read(server.Version), Math.Max(6, parsed.GetValue(rounds)), results);
    var text = ReportText.Write(report);
    Console.WriteLine();
    Console.WriteLine(text);
    if (!parsed.GetValue(noFiles))
        ResultFiles.Write(report, text, parsed.GetValue(name)!);
    return 0;
});
return root.Parse(args).Invoke();
