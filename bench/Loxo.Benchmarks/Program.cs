using System.CommandLine;
using Loxo.Benchmarks;
using Loxo.Benchmarks.Against;
using Loxo.Benchmarks.Canned;
using Loxo.Benchmarks.Fortunes;
using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.Reporting;
using Loxo.Benchmarks.RoundTrips;

var rounds = new Option<int?>("--rounds")
{
    Description = "How often each peer's turn comes: 10, with --fortunes 5; 6 or more for figures to keep.",
};
var rows = new Option<string>("--rows") { Description = "Rows to run, separated by commas; --list shows them. All when empty.", DefaultValueFactory = _ => "" };
var peers = new Option<string>("--peers")
{
    Description = "Peers to run, or variants with --fortunes, separated by commas; all when empty.",
    DefaultValueFactory = _ => "",
};
var list = new Option<bool>("--list") { Description = "Only show the rows, and who takes part." };
var name = new Option<string?>("--name") { Description = "Name of the files in bench/results." };
var readme = new Option<bool>("--readme") { Description = "Only write the newest result into README.md and bench/README.md." };
var noTrace = new Option<bool>("--no-trace") { Description = "Do not count system calls." };
var noFiles = new Option<bool>("--no-files") { Description = "Print the table, write no result." };
var profile = new Option<string?>("--profile") { Description = "Run one row in a loop, for a profiler, and show what it allocates." };
var against = new Option<string?>("--against") { Description = "Compare with a commit's Loxo; exit code 1 if a row has become slower." };
var earlier = new Option<string?>(Comparison.EarlierOption) { Description = "Passed by bench/run: the commit's build.", Hidden = true };
var onRequest = new Option<string?>(BuildProcess.Option) { Description = "Run by the program itself, once for each build.", Hidden = true };
var seconds = new Option<int?>("--seconds") { Description = "How long --profile runs: 10; or each turn of --fortunes: 5." };
var fortunes = new Option<bool>("--fortunes") { Description = "Run TechEmpower's Fortunes, a web application, instead of the rows." };
var cores = new Option<string?>("--cores") { Description = "The cores for --fortunes, such as 0,1; bench/run pins to them." };
var trace = new Option<string?>("--traced-by") { Description = "Run by the program itself under strace.", Hidden = true };
var measureInto = new Option<string?>("--measure-into") { Description = "Run by the program itself on all cores.", Hidden = true };
var canned = new Option<bool>(CannedServer.Option) { Description = "Run by the program itself, as a server.", Hidden = true };

var root = new RootCommand("Loxo beside Npgsql, libpq and raw sockets.")
{
    rounds, rows, peers, list, name, readme, noTrace, noFiles, profile, seconds, fortunes, cores, against, earlier, onRequest, trace,
    measureInto, canned,
};
root.SetAction(parsed =>
{
    if (parsed.GetValue(canned))
        return CannedServer.Serve();
    if (parsed.GetValue(readme))
        return Pages.Write();
    var turns = Math.Max(1, parsed.GetValue(rounds) ?? (parsed.GetValue(fortunes) ? FortunesRun.DefaultRounds : 10));
    if (parsed.GetValue(fortunes))
        return Fortunes(parsed, FortunesVariant.Choose(parsed.GetValue(peers)!), turns);
    var chosen = Selection.Choose(parsed.GetValue(rows)!);
    var chosenPeers = PeerKind.Choose(parsed.GetValue(peers)!);
    if (parsed.GetValue(cores) is not null)
        return Fail("--cores works only with --fortunes. LOXO_BENCH_CORE chooses the core of the rows.");
    if (parsed.GetValue(list))
    {
        chosen.Print(Console.Out);
        return 0;
    }
    if (parsed.GetValue(trace) is { } target)
        return TracedRun.Run(Target.Parse(target), chosen.Rows, chosenPeers);
    if (parsed.GetValue(measureInto) is { } file)
        return AllCores.Measure(chosen.Rows, chosenPeers, turns, file);
    if (parsed.GetValue(onRequest) is { } requested)
        return BuildProcess.Serve(Target.Parse(requested));
    if (parsed.GetValue(against) is not null)
        return Comparison.Run(chosen, turns, parsed.GetValue(earlier), !parsed.GetValue(noTrace));

    using var server = new BenchServer();
    if (parsed.GetValue(profile) is { } profiled)
        return Profile.Run(server.Target, Selection.Choose(profiled).Rows[0], chosenPeers[0], parsed.GetValue(seconds) ?? 10);

    var results = new Rounds(row => Work.Open(row, chosenPeers, server.Target), turns).Run(chosen.Pinned);
    if (!parsed.GetValue(noTrace) && results.Count > 0)
        SystemCalls.Count(server.Target, results);
    if (chosen.Unpinned.Length > 0)
        results.AddRange(AllCores.Run(chosen.Unpinned, chosenPeers, turns));
    var roundTrips = chosen.RoundTrips ? RoundTripCounter.Run(server.Target) : [];
    return Publish(parsed, new Report(MachineFacts.Read(server.Version), turns, results, roundTrips), "run");
});
return root.Parse(args).Invoke();

int Fortunes(ParseResult parsed, FortunesVariant[] variants, int turns)
{
    if (parsed.GetValue(list))
    {
        FortunesRun.Print(Console.Out, variants);
        return 0;
    }
    if (!Wrk.IsThere)
        return Fail(Wrk.Missing);
    var report = FortunesRun.Run(variants, turns, parsed.GetValue(seconds) ?? FortunesRun.DefaultSeconds);
    return Publish(parsed, report, FortunesRun.FileName());
}

int Publish(ParseResult parsed, Report report, string fileName)
{
    var text = ReportText.Write(report);
    Console.WriteLine();
    Console.WriteLine(text);
    if (!parsed.GetValue(noFiles))
        ResultFiles.Write(report, text, parsed.GetValue(name) ?? fileName);
    return 0;
}

static int Fail(string message)
{
    Console.Error.WriteLine(message);
    return 1;
}
